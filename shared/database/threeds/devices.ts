/** The devices of card holders: a port, and the table that stands for them. */
import { createHash } from "node:crypto";
import { z } from "zod";
import {
  authenticationTypes,
  type AuthenticationType,
  type Device,
} from "../../domain/threeds/devices.js";
import type { Queryable } from "../platform/database.js";

export interface CardHolder {
  readonly partnerKey: string;
  readonly customerId: string;
}

/** Who knows the devices of card holders. */
export interface DeviceDirectory {
  readonly devicesOf: (holder: CardHolder) => Promise<readonly Device[]>;
}

const Given = z.object({
  devices: z.array(
    z.object({
      deviceId: z.string(),
      displayVal: z.string(),
      authenticationType: z.enum(authenticationTypes).nullable(),
      isReachable: z.boolean(),
    }),
  ),
});

const namesByDefault: Readonly<Record<AuthenticationType, string>> = {
  OobPush: "Banking app",
  SmsMac: "Text message",
  SmsMacPin: "Text message and PIN",
  MobileTokenQr: "Mobile token, by QR code",
  HardwareTokenQr: "Hardware token, by QR code",
  MobileTokenMac: "Mobile token",
  HardwareTokenMac: "Hardware token",
};

/** One of each type, with the same identifiers at each look. */
const devicesByDefault = ({ partnerKey, customerId }: CardHolder): readonly Device[] =>
  authenticationTypes.map((authenticationType) => ({
    deviceId: createHash("sha256")
      .update([partnerKey, customerId, authenticationType].join("\0"))
      .digest("hex")
      .slice(0, 32),
    displayVal: namesByDefault[authenticationType],
    authenticationType,
    isReachable: true,
  }));

/** `hasDefaults`: who was given none has one of each type; else none. */
export const storedDevices = (database: Queryable, hasDefaults: boolean): DeviceDirectory => ({
  devicesOf: async (holder) => {
    const given = await database.row(
      Given,
      `select devices from borsello.card_holder_devices
       where partner_key = $1 and customer_id = $2`,
      [holder.partnerKey, holder.customerId],
    );
    return given?.devices ?? (hasDefaults ? devicesByDefault(holder) : []);
  },
});

/** Instead of all that the card's holder has. */
export const setDevices = async (
  database: Queryable,
  cardId: string,
  devices: readonly Device[],
): Promise<void> => {
  await database.execute(
    `insert into borsello.card_holder_devices (partner_key, customer_id, devices)
     select partner_key, customer_id, $2 from borsello.card where card_id = $1
     on conflict (partner_key, customer_id) do update set devices = excluded.devices`,
    [cardId, JSON.stringify(devices)],
  );
};
