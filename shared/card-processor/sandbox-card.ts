/** What the sandbox's card processor makes of a card: a token and a masked number of a card that is none. */
import { createHash } from "node:crypto";
import { couldHoldPan } from "../domain/card/pan.js";

/** No issuer has it. */
const bin = "999999";

const triesMax = 100_000;

/** Sixteen digits that look drawn and are always the same. */
const drawn = (text: string): string =>
  (BigInt(`0x${createHash("sha256").update(text).digest("hex")}`) % 10n ** 16n)
    .toString()
    .padStart(16, "0");

/** The BIN, the token's number, the last four digits; no part of it passes for the number of a card. */
const tokenFor = (commandId: string): string => {
  for (let tried = 0; tried < triesMax; tried += 1) {
    const token = bin + drawn(`${commandId} ${tried}`);
    if (!couldHoldPan(token)) return token;
  }
  throw new Error(`No token was found for ${commandId}.`);
};

const yearsOfUse = 4;

/** The last day of the month, so many years on. */
const expiryOf = (requestedAt: string): string => {
  const date = new Date(requestedAt);
  const [year, month] = [date.getUTCFullYear() + yearsOfUse, date.getUTCMonth() + 1];
  return new Date(Date.UTC(year, month, 0)).toISOString().slice(0, "YYYY-MM-DD".length);
};

export interface MadeCard {
  readonly panToken: string;
  readonly maskedPan: string;
  readonly expiryDate: string;
}

/** The same for the same command, however often it comes. */
export const makeCard = (commandId: string, requestedAt: string): MadeCard => {
  const panToken = tokenFor(commandId);
  return {
    panToken,
    maskedPan: `${bin}******${panToken.slice(-4)}`,
    expiryDate: expiryOf(requestedAt),
  };
};
