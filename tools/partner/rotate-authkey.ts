/** Gives a partner another AuthKey; the one before holds for a while, so that no call is refused meanwhile. */
import { rotateAuthKey, type RotationRefusal } from "../../shared/database/partners/auth-keys.js";
import { hashedSecret, newSecret } from "../../shared/platform/secrets.js";
import {
  refused,
  textOf,
  UsageError,
  type Command,
  type Given,
  type Report,
} from "../kit/command-line.js";
import { partnerOf, type Tools } from "./command.js";

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };
const keepSecondsMax = 30 * 86_400;

const keepSecondsOf = (given: Given): number => {
  const text = textOf(given, "keep-old-for");
  if (text === undefined) throw new UsageError("--keep-old-for is missing, such as 24h.");
  const [, digits, unit = ""] = /^(\d{1,7})([smhd])$/.exec(text) ?? [];
  const seconds = Number(digits) * (unitSeconds[unit] ?? Number.NaN);
  if (seconds >= 0 && seconds <= keepSecondsMax) return seconds;
  throw new UsageError("--keep-old-for must be a time such as 90s, 30m, 24h or 7d, 30d at most.");
};

const sentences: Readonly<Record<RotationRefusal, (partnerKey: string, max: string) => string>> = {
  PartnerNotFound: (partnerKey) => `There is no partner ${partnerKey}.`,
  PartnerRemoved: (partnerKey) => `${partnerKey} was removed.`,
  TooManyFormerKeys: (partnerKey, max) =>
    `${max} AuthKeys of ${partnerKey} that were replaced still hold (show says until when): ` +
    "wait for the first to end, or end all of them by --keep-old-for 0s.",
};

const rotate = async (given: Given, { database }: Tools): Promise<Report> => {
  const partnerKey = partnerOf(given);
  const keepSeconds = keepSecondsOf(given);
  const authKey = newSecret();
  const rotated = await rotateAuthKey(database, partnerKey, hashedSecret(authKey), keepSeconds);
  if (!rotated.ok)
    return refused([sentences[rotated.code](partnerKey, rotated.properties["max"] ?? "")]);
  const { formerUntil } = rotated.value;
  return {
    done: true,
    value: { partnerKey, authKey, formerUntil },
    lines: [
      `${partnerKey} has another AuthKey, which holds from now on and is shown once:`,
      `  AuthKey  ${authKey}`,
      formerUntil === null
        ? "Every key before it ends within five seconds."
        : `The one before holds until ${formerUntil.toISOString()}.`,
    ],
  };
};

export const rotateCommand: Command<Tools> = {
  name: "rotate-authkey",
  usage: "NAME --keep-old-for 24h",
  summary: "makes another AuthKey; the one before goes on holding for a while",
  options: { "keep-old-for": { type: "string" } },
  help: [
    "--keep-old-for TIME  how long the present key still holds: 90s, 30m, 24h, 7d; 30d at most;",
    "                     0s ends it at once, with all keys before it (a key that others know)",
  ],
  run: rotate,
};
