/** What tests of 3-D Secure start from: a card, its assessed transactions, their devices and challenges. */
import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { RaiseBody } from "../../../shared/contracts/threeds/challenges.js";
import type { RiskBody } from "../../../shared/contracts/threeds/risk.js";
import type { Actor } from "../../../shared/database/access/wallet-access.js";
import type { Database } from "../../../shared/database/platform/database.js";
import { platformNow } from "../../../shared/database/platform/platform-time.js";
import { listDevices } from "../../../shared/database/threeds/device-list.js";
import { storedDevices } from "../../../shared/database/threeds/devices.js";
import { sandboxPushes, type PushSender } from "../../../shared/database/threeds/pushes.js";
import { raiseChallenge } from "../../../shared/database/threeds/raise.js";
import { pushResult } from "../../../shared/database/threeds/result.js";
import { assessRisk } from "../../../shared/database/threeds/risk.js";
import type { AuthenticationType } from "../../../shared/domain/threeds/devices.js";
import type { AuthMethod } from "../../../shared/domain/threeds/statuses.js";
import { issueCard, openAccount } from "../card/cards.js";
import { acme, made } from "../wallet/wallet-fixtures.js";

/** A purchase of 200.00 at 99 basis points: MEDIUM, so that it is challenged. */
export const riskBody = (panToken: string, change: Partial<RiskBody> = {}): RiskBody => ({
  transactionId: randomUUID(),
  acsVersion: "2.2.0",
  panToken,
  merchantName: "Bottega",
  purchaseAmount: "20000",
  purchaseExponent: 2,
  purchaseCurrency: "978",
  acquirerMerchantId: "BOTTEGA-1",
  merchantFraudRate: 99,
  ...change,
});

/** The challenge of a transaction: whose flow, how far, until when. */
const Row = z.object({
  threeDsId: z.string(),
  status: z.string(),
  deviceId: z.string().nullable(),
  expiresAt: z.string().nullable(),
});

const lowValue = { uses: 5, sumCents: 100_00n };
const terms = { challengeMinutes: 5, oobAppUrl: "borsello://oob" };

export const threeDsOf = (read: () => Database) => {
  const devices = () => storedDevices(read(), true);
  const card = async (partnerKey = "acme") => {
    const { accountId } = await openAccount(read(), { partnerKey });
    return issueCard(read(), accountId);
  };
  const risk = (body: RiskBody, actor: Actor = acme) => assessRisk(read(), actor, lowValue, body);
  const assessed = async () => {
    const { panToken, cardId, customerId } = await card();
    const body = riskBody(panToken);
    made(await risk(body));
    return { transactionId: body.transactionId, panToken, cardId, customerId };
  };
  type Assessed = Awaited<ReturnType<typeof assessed>>;
  const list = (
    { transactionId, panToken }: Pick<Assessed, "transactionId" | "panToken">,
    authenticationType: AuthenticationType = "OobPush",
    actor: Actor = acme,
  ) =>
    listDevices(read(), devices(), actor, {
      ...{ transactionId, panToken, acsVersion: "2.2.0", authenticationType },
    });
  const listed = async () => {
    const transaction = await assessed();
    const [device] = made(await list(transaction));
    return { ...transaction, deviceId: device?.deviceId ?? "" };
  };
  const raise = (
    { transactionId, deviceId }: Pick<RaiseBody, "transactionId" | "deviceId">,
    actor: Actor = acme,
    minutes = terms.challengeMinutes,
    pushes: PushSender = sandboxPushes(read()),
  ) =>
    raiseChallenge(
      { database: read(), devices: devices(), pushes },
      actor,
      { ...terms, challengeMinutes: minutes },
      { transactionId, deviceId, acsVersion: "2.2.0" },
    );
  const raised = async () => {
    const transaction = await listed();
    made(await raise(transaction));
    return transaction;
  };
  const result = (
    { transactionId }: Pick<Assessed, "transactionId">,
    authenticated = true,
    authMethod: AuthMethod = "07",
    actor: Actor = acme,
  ) => pushResult(read(), actor, { transactionId, authenticated, authMethod });
  const row = async ({ transactionId }: Pick<Assessed, "transactionId">) => {
    const found = await read().row(
      Row,
      `select threeds_id as "threeDsId", status, device_id as "deviceId",
         borsello.iso(expires_at) as "expiresAt"
       from borsello.threeds_transaction where transaction_id = $1`,
      [transactionId],
    );
    if (found === undefined) throw new Error(`no transaction ${transactionId}`);
    return found;
  };
  /** The subjects of what was told of the card, in order. */
  const told = async ({ cardId }: Pick<Assessed, "cardId">) =>
    read().rows(
      z.object({ subject: z.string(), body: z.record(z.string(), z.unknown()) }),
      "select subject, body from borsello.outbox where session_id = $1 order by outbox_id",
      [cardId],
    );
  const pushes = async (transaction: Pick<Assessed, "transactionId">) =>
    read().rows(
      z.object({ deviceId: z.string(), message: z.record(z.string(), z.unknown()) }),
      `select device_id as "deviceId", message from borsello.sandbox_push
       where threeds_id = $1 order by raised_version`,
      [(await row(transaction)).threeDsId],
    );
  const pass = (ms: number) =>
    read().execute("update borsello.sandbox_clock set offset_ms = offset_ms + $1::bigint", [ms]);
  const now = () => platformNow(read());
  const devicesOf = ({ customerId }: Pick<Assessed, "customerId">) =>
    devices().devicesOf({ partnerKey: "acme", customerId });
  return {
    ...{ card, risk, assessed, list, listed, raise, raised, result },
    ...{ row, told, pushes, pass, now, devicesOf },
  };
};

export type ThreeDs = ReturnType<typeof threeDsOf>;
