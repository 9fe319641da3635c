/** The partner's developer tests with the sandbox: tokens, the clock, the bank that answers as it is told. */
import { sctWithdrawalRoutes } from "../../../shared/contracts/operations/families.js";
import { getOperationRoute } from "../../../shared/contracts/operations/lists.js";
import { getHealthRoute } from "../../../shared/contracts/platform/health.js";
import * as bank from "../../../shared/contracts/sandbox/bank.js";
import { moveClockRoute } from "../../../shared/contracts/sandbox/clock.js";
import { declineContractRoute } from "../../../shared/contracts/sandbox/contract.js";
import * as identity from "../../../shared/contracts/sandbox/identity.js";
import * as told from "../../../shared/contracts/story/story.js";
import { createWalletRoute } from "../../../shared/contracts/wallet/wallets.js";
import { partnerNamed } from "../platform/api.js";
import { Made } from "./money.js";
import type { Customer } from "./onboarding.js";
import type { Story } from "./teller.js";

/** Another customer, who declines the contract. */
export interface Neighbour {
  readonly neighboursWalletId: string;
}

const tenant = { params: { tenant: "local" } } as const;

export const useSandbox = async (
  { at, tell, tellForm, call, until, name }: Story,
  { walletId }: Customer,
): Promise<Neighbour> => {
  await tell(moveClockRoute, { body: { now: "2025-03-31T08:00:00.000Z" } });
  await until(
    () => call(getHealthRoute, {}),
    ({ outbox }) => outbox.waiting === 0,
  );
  await tell(getHealthRoute, {});
  const { clientId, clientSecret } = partnerNamed("acme");
  await tellForm(identity.issueTokenRoute, tenant.params, {
    ...{ grant_type: "client_credentials", client_id: clientId, client_secret: clientSecret },
    scope: "api://borsello/.default",
  });
  const { keys } = await tell(identity.getSigningKeysRoute, tenant);
  name(keys[0]?.kid ?? "", told.signingKeyId);
  await tell(identity.getOpenIdConfigurationRoute, tenant);
  await tell(identity.getEntraConfigurationRoute, tenant);

  const script = { kind: "directDebit", iban: told.iban, outcome: "returned" } as const;
  await tell(bank.scriptBankRoute, { body: script, query: { reasonCode: "MS03" } });

  const params = { walletId };
  const body = { idempotencyKey: "acme-app-withdrawal-000000000042", amount: 15, tags: null };
  const made = await call(sctWithdrawalRoutes.initialise, { params, body });
  const { operationId } = Made.parse(made);
  name(operationId, told.rejectedWithdrawalId);
  const one = { params: { walletId, operationId } };
  await call(sctWithdrawalRoutes.confirm, one);
  const rejection = { operationId, verb: "reject" } as const;
  await tell(bank.decidePaymentRoute, { params: rejection, query: { reasonCode: "AC04" } });
  await at("2025-03-31T08:05");
  await until(
    () => call(getOperationRoute, one),
    ({ status }) => status === "OutgoingPaymentRejected",
  );
  const neighbour = await call(createWalletRoute, { body: told.neighbour });
  name(neighbour.walletId, told.neighboursWalletId);
  await tell(declineContractRoute, { params: { walletId: neighbour.walletId } });
  return { neighboursWalletId: neighbour.walletId };
};
