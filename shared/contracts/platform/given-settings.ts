/** Looks at a partner's settings as an administrator writes them: what is unknown or wrong is said, not passed over. */
import { z } from "zod";
import { ibanFault, normaliseIban } from "../../domain/wallet/iban.js";
import { partnerSettings, type GivenPartnerSettings } from "./partner-settings.js";

type Path = readonly (string | number)[];

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const shown = (path: Path): string => (path.length === 0 ? "The settings" : path.join("."));

/** What was given and means nothing: the schema leaves it out. */
const unknownPaths = (given: unknown, known: unknown, path: Path = []): string[] => {
  if (Array.isArray(given) && Array.isArray(known))
    return given.flatMap((item, index) => unknownPaths(item, known[index], [...path, index]));
  if (!isObject(given) || !isObject(known)) return [];
  return Object.entries(given).flatMap(([name, value]) =>
    name in known ? unknownPaths(value, known[name], [...path, name]) : [shown([...path, name])],
  );
};

const ibanFaults = ({ ibanVerification, settlement }: z.output<typeof partnerSettings>): string[] =>
  Object.entries({
    "ibanVerification.destinationIban": ibanVerification.destinationIban,
    "settlement.safeguardingAccount": settlement.safeguardingAccount,
  }).flatMap(([name, iban]) =>
    iban === null || (normaliseIban(iban) === iban && ibanFault(iban) === undefined)
      ? []
      : [`${name} must be a sound IBAN of a SEPA country, in capital letters without spaces.`],
  );

export type CheckedSettings =
  | { readonly ok: true; readonly given: GivenPartnerSettings }
  | { readonly ok: false; readonly faults: readonly string[] };

/** Every fault is a sentence that names its setting by its path. */
export const checkSettings = (given: unknown): CheckedSettings => {
  const parsed = partnerSettings.safeParse(given);
  const faults = parsed.success
    ? [
        ...unknownPaths(given, parsed.data).map((path) => `There is no setting ${path}.`),
        ...ibanFaults(parsed.data),
      ]
    : parsed.error.issues.map(({ path, message }) => `${shown(path.map(String))}: ${message}.`);
  // What the schema has taken is what it takes: the compiler cannot see that.
  return faults.length === 0
    ? { ok: true, given: given as GivenPartnerSettings }
    : { ok: false, faults };
};

export interface SettingChange {
  readonly path: string;
  /** Undefined: not set, so that the default holds. */
  readonly before: unknown;
  readonly after: unknown;
}

/** What differs, setting by setting; a list is one setting. */
export const settingChanges = (
  before: unknown,
  after: unknown,
  path: Path = [],
): SettingChange[] => {
  if (isObject(before) || isObject(after)) {
    const [old, young] = [isObject(before) ? before : {}, isObject(after) ? after : {}];
    const names = [...new Set([...Object.keys(old), ...Object.keys(young)])].sort();
    const within = names.flatMap((name) => settingChanges(old[name], young[name], [...path, name]));
    const isLeafOnOneSide = [before, after].some((side) => side !== undefined && !isObject(side));
    return isLeafOnOneSide ? [{ path: shown(path), before, after }] : within;
  }
  return JSON.stringify(before) === JSON.stringify(after)
    ? []
    : [{ path: shown(path), before, after }];
};
