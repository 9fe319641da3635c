/** Raises a challenge on a device: first kept, then pushed, so that no result finds it missing. */
import { z } from "zod";
import type { Raised, RaiseBody } from "../../contracts/threeds/challenges.js";
import { success, type Outcome } from "../../domain/outcome.js";
import type { Device } from "../../domain/threeds/devices.js";
import { isResolved, oobStatus, type OobStatus } from "../../domain/threeds/statuses.js";
import type { Actor } from "../access/wallet-access.js";
import type { Database, Queryable } from "../platform/database.js";
import type { DeviceDirectory } from "./devices.js";
import type { PushSender } from "./pushes.js";
import {
  findThreeDs,
  lockThreeDs,
  resolveChallenge,
  type ThreeDsRefusal,
  type ThreeDsTransaction,
} from "./transactions.js";

export interface ChallengeMeans {
  readonly database: Database;
  readonly devices: DeviceDirectory;
  readonly pushes: PushSender;
}

export interface ChallengeTerms {
  readonly challengeMinutes: number;
  /** Opens the authentication app. */
  readonly oobAppUrl: string;
}

const Kept = z.object({ version: z.bigint() });

const keepRaised = `
  with raised as (
    update borsello.threeds_transaction as t set status = 'OobRaised', device_id = $2,
      raised_at = borsello.platform_now(), delivered_at = null, version = version + 1,
      expires_at = borsello.platform_now() + $3::double precision * interval '1 minute'
    where threeds_id = $1
    returning t, old.status as before
  )
  select (t).version, borsello.audit_threeds(t, $4, 'raise', before),
    borsello.tell_challenge('ChallengeRaised', t)
  from raised`;

const noteDelivered = `
  update borsello.threeds_transaction set delivered_at = borsello.platform_now()
  where threeds_id = $1 and version = $2 and delivered_at is null`;

/** As if it had not been raised, unless its result has come all the same. */
const takeBack = `
  with back as (
    update borsello.threeds_transaction as t set status = 'DeviceListed', version = version + 1
    where threeds_id = $1 and version = $2 and status = 'OobRaised'
    returning t
  )
  select (t).version, borsello.audit_threeds(t, 'platform', 'takeBack', 'OobRaised'),
    borsello.tell_challenge('ChallengeResolved', t)
  from back`;

/** What is still to be done once the transaction is kept. */
type Decided =
  { readonly status: OobStatus } | { readonly device: Device; readonly version: bigint };

const decide = async (
  tx: Queryable,
  { clientId }: Actor,
  { challengeMinutes }: ChallengeTerms,
  found: ThreeDsTransaction,
  device: Device | undefined,
): Promise<Decided> => {
  const { threeDsId, status, isLate, deviceId, isDelivered, version } = found;
  if (isResolved(status)) return { status: oobStatus.alreadyResolved };
  if (status === "OobRaised" && isLate) {
    await resolveChallenge(tx, threeDsId, "TimedOut", null, "platform");
    return { status: oobStatus.alreadyResolved };
  }
  if (status === "Assessed" || device === undefined) return { status: oobStatus.deviceUnknown };
  if (status === "OobRaised" && deviceId === device.deviceId)
    return isDelivered ? { status: oobStatus.raised } : { device, version };
  const kept = await tx.row(Kept, keepRaised, [
    threeDsId,
    device.deviceId,
    challengeMinutes,
    clientId,
  ]);
  if (kept === undefined) throw new Error(`the challenge ${threeDsId} was not kept`);
  return { device, version: kept.version };
};

const messageOf = (found: ThreeDsTransaction, { merchantAppUrl = null }: RaiseBody) => {
  const { transactionId, maskedPan, merchantName } = found;
  const { purchaseAmount, purchaseExponent, purchaseCurrency } = found;
  const purchase = { merchantName, purchaseAmount, purchaseExponent, purchaseCurrency };
  return { transactionId, maskedPan, ...purchase, merchantAppUrl };
};

export const raiseChallenge = async (
  { database, devices, pushes }: ChallengeMeans,
  actor: Actor,
  terms: ChallengeTerms,
  body: RaiseBody,
): Promise<Outcome<Raised, ThreeDsRefusal>> => {
  const { transactionId } = body;
  const { partnerKey } = actor;
  const seen = await findThreeDs(database, partnerKey, transactionId);
  if (!seen.ok) return seen;
  const known = await devices.devicesOf(seen.value);
  const device = known.find(({ deviceId }) => deviceId === body.deviceId);
  const decided = await database.transaction(async (tx) => {
    const found = await lockThreeDs(tx, partnerKey, transactionId);
    return found.ok ? success(await decide(tx, actor, terms, found.value, device)) : found;
  });
  if (!decided.ok) return decided;
  const answer = (status: OobStatus): Outcome<Raised, ThreeDsRefusal> => {
    const query = `?transactionId=${encodeURIComponent(transactionId)}`;
    const isRaised = status === oobStatus.raised;
    return success({ status, oobAppUrl: isRaised ? terms.oobAppUrl + query : null });
  };
  if ("status" in decided.value) return answer(decided.value.status);
  const { threeDsId } = seen.value;
  const { version } = decided.value;
  const { deviceId, isReachable } = decided.value.device;
  const message = messageOf(seen.value, body);
  if (await pushes.push({ threeDsId, raisedVersion: version, deviceId, isReachable, message })) {
    await database.execute(noteDelivered, [threeDsId, version]);
    return answer(oobStatus.raised);
  }
  await database.command(Kept, takeBack, [threeDsId, version]);
  return answer(oobStatus.deliveryFailed);
};
