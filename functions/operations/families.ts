/** The six families: one binding for all of them; what differs stands in their declarations. */
import {
  operationFamilies,
  type OperationRequest,
} from "../../shared/contracts/operations/families.js";
import type { PartnerSettings } from "../../shared/contracts/platform/partner-settings.js";
import type { OperationCommand } from "../../shared/database/operations/commands.js";
import { families, type FamilyType } from "../../shared/domain/operations/families.js";
import { feesOf } from "../../shared/domain/operations/fees.js";
import { centsOf } from "../../shared/domain/money.js";
import { refusal, success, type Outcome } from "../../shared/domain/outcome.js";
import type { Caller } from "../kit/authorize.js";
import { endpoint, type Endpoint } from "../kit/endpoint.js";
import { requestHash } from "../../shared/platform/request-hash.js";
import { commandOf } from "./command.js";

const expiryMinutes = (type: FamilyType, { operations }: PartnerSettings): number =>
  type === "SctWithdrawal" ? operations.sctWithdrawalExpiryMinutes : operations.expiryMinutes;

/** An initialisation or its simulation, as the database takes it. */
const initialisation = (
  kind: "initialise" | "simulate",
  type: FamilyType,
  walletId: string,
  body: OperationRequest,
  caller: Caller,
): Outcome<OperationCommand, "AmountScaleInvalid"> => {
  const { amount = 0 } = body;
  const amountCents = centsOf(amount);
  if (amountCents === undefined) return refusal("AmountScaleInvalid", { amount: String(amount) });
  const { settings } = caller;
  const rules = body.amount === undefined ? [] : settings.fees;
  const { totalCents, fees } = feesOf(rules, type, amountCents);
  const fundsType = families[type].fundsType ?? body.fundsType ?? "Standard";
  return success({
    ...commandOf(kind, caller),
    wallet_id: walletId,
    type,
    amount_cents: String(amountCents),
    fees_amount_cents: String(totalCents),
    fees,
    funds_type: fundsType,
    funds_expiry_date: body.fundsExpiryDate ?? null,
    bucket_id: body.bucketId ?? null,
    is_withdrawable: settings.operations.withdrawable[fundsType],
    store_id: body.storeId ?? null,
    dealer_key: body.dealerKey ?? null,
    operation_group_id: body.operationGroupId ?? null,
    tags: body.tags ?? null,
    expires_after: `${expiryMinutes(type, settings)} minutes`,
    ...(body.idempotencyKey === undefined
      ? {}
      : {
          idempotency_key: body.idempotencyKey,
          request_hash: requestHash({ walletId, ...body }),
        }),
  });
};

type Family = (typeof operationFamilies)[number];

const initialiseEndpoint = ({ type, initialise }: Family): Endpoint =>
  endpoint(initialise, async ({ operations }, { params, body, caller, okWritten, refuse }) => {
    const command = initialisation("initialise", type, params.walletId, body, caller);
    if (!command.ok) return refuse(command);
    const done = await operations.run(command.value);
    return done.ok ? okWritten(done.value) : refuse(done);
  });

const simulateEndpoint = ({ type, simulate }: Family): Endpoint =>
  endpoint(simulate, async ({ operations }, { params, body, caller, okWritten, refuse }) => {
    const command = initialisation("simulate", type, params.walletId, body, caller);
    if (!command.ok) return refuse(command);
    const simulated = await operations.run(command.value);
    return simulated.ok ? okWritten(simulated.value) : refuse(simulated);
  });

const changeEndpoint = (family: Family, kind: "confirm" | "cancel" | "terminate"): Endpoint =>
  endpoint(family[kind], async ({ operations }, { params, caller, okWritten, refuse }) => {
    const changed = await operations.run({
      ...commandOf(kind, caller),
      wallet_id: params.walletId,
      type: family.type,
      operation_id: params.operationId,
    });
    return changed.ok ? okWritten(changed.value) : refuse(changed);
  });

export const familyEndpoints: readonly Endpoint[] = operationFamilies.flatMap((family) => [
  initialiseEndpoint(family),
  changeEndpoint(family, "confirm"),
  changeEndpoint(family, "cancel"),
  changeEndpoint(family, "terminate"),
  simulateEndpoint(family),
]);
