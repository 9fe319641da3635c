/** The sandbox route that says which devices a card holder has (contract 0.3). */
import { z } from "zod";
import { authenticationTypes } from "../../domain/threeds/devices.js";
import { Identifier } from "../identifier.js";
import { route } from "../route.js";

const text = z
  .string()
  .min(1)
  .max(255, { abort: true })
  .regex(/^\P{Cc}*$/u, "must not hold control characters");

const devicesMax = 50;

export const DevicesBody = z.strictObject({
  cardId: Identifier,
  devices: z
    .array(
      z.strictObject({
        deviceId: text,
        displayVal: text,
        authenticationType: z
          .enum(authenticationTypes)
          .nullable()
          .default(null)
          .describe("Null: it serves every type."),
        isReachable: z.boolean().default(true).describe("Whether a push arrives on it."),
      }),
    )
    .max(devicesMax),
});

export const setDevicesRoute = route({
  id: "setDevices",
  api: "sandbox",
  method: "PUT",
  path: "card/devices",
  body: DevicesBody,
  repeatable: true,
  role: "Sandbox.Use",
  ok: { status: 200, schema: DevicesBody.meta({ id: "CardDevices" }) },
  errors: ["CardNotFound", "AccountOfAnotherAffiliate"],
  summary: "Set the devices of a card holder",
  result: "The devices that the card holder has now.",
  description:
    "Instead of those that the holder of this card has, on all of his cards. From the start a card holder " +
    "has one device for each authentication type, and each is reachable.",
});
