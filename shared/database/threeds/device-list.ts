/** Which device of a card holder is challenged: exactly one of the type that is asked for. */
import type { DeviceListBody, ListedDevice } from "../../contracts/threeds/challenges.js";
import { refusal, success, type Outcome } from "../../domain/outcome.js";
import { devicesOfType } from "../../domain/threeds/devices.js";
import type { Actor } from "../access/wallet-access.js";
import type { Database } from "../platform/database.js";
import { z } from "zod";
import type { DeviceDirectory } from "./devices.js";
import { findThreeDs, type ThreeDsRefusal } from "./transactions.js";

/** The first list moves the transaction on, a later one changes nothing. */
const noteList = `
  with listed as (
    update borsello.threeds_transaction as t set status = 'DeviceListed', version = version + 1
    where threeds_id = $1 and status = 'Assessed'
    returning t
  )
  select count(borsello.audit_threeds(t, $2, 'listDevices', 'Assessed'))::int as listed
  from listed`;

export const listDevices = async (
  database: Database,
  directory: DeviceDirectory,
  { partnerKey, clientId }: Actor,
  { transactionId, panToken, authenticationType }: DeviceListBody,
): Promise<Outcome<ListedDevice[], ThreeDsRefusal | "DeviceNotUnique" | "CardTokenInvalid">> => {
  const found = await findThreeDs(database, partnerKey, transactionId);
  if (!found.ok) return found;
  const { threeDsId } = found.value;
  if (found.value.panToken !== panToken) return refusal("CardTokenInvalid", { transactionId });
  const devices = devicesOfType(await directory.devicesOf(found.value), authenticationType);
  const [device] = devices;
  if (device === undefined || devices.length > 1)
    return refusal("DeviceNotUnique", { authenticationType, devices: String(devices.length) });
  await database.command(z.object({ listed: z.int() }), noteList, [threeDsId, clientId]);
  return success([{ deviceId: device.deviceId, displayVal: device.displayVal }]);
};
