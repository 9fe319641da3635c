/** What a field means by its name, where it stands without a text of its own. */
import { commonNames } from "./common-names.js";
import { figureNames } from "./figure-names.js";

const words = (name: string): string => name.replace(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();

const zones: Readonly<Record<string, string>> = {
  EuroZone: " in the euro zone",
  NonEuroZone: " outside the euro zone",
};

type Family = readonly [form: RegExp, text: (...parts: string[]) => string];

/** Names that are built by a rule. */
const families: readonly Family[] = [
  [/^total([A-Z]\w+)$/, (state = "") => `How many operations are ${state}.`],
  [
    /^min(\w+)Date$/,
    (state = "") => `When the first of the operations that are ${state} became so.`,
  ],
  [
    /^max(\w+)Date$/,
    (state = "") => `When the last of the operations that are ${state} became so.`,
  ],
  [
    /^wallets(Earliest|Latest)(\w+)Date$/,
    (end = "", what = "") => `The ${end.toLowerCase()} ${words(what)} of a wallet.`,
  ],
  [
    /^(interchange|fee)(\w+?)Amount((?:Non)?EuroZone)?$/,
    (kind = "", what = "", zone = "") =>
      `${kind === "fee" ? "Fees" : "Presentments"}: the sum of ${words(what)}s${zones[zone] ?? ""}.`,
  ],
  [
    /^(\w+)sCount((?:Non)?EuroZone)$/,
    (what = "", zone = "") => `How many ${words(what)}s${zones[zone] ?? ""}.`,
  ],
  [
    /^deduction(\w+?)((?:Non)?EuroZone)$/,
    (what = "", zone = "") => `The affiliate's share of the ${words(what)}s${zones[zone] ?? ""}.`,
  ],
];

/** Undefined: the name says nothing by itself. */
export const fieldText = (name: string): string | undefined => {
  const own = commonNames[name] ?? figureNames[name];
  if (own !== undefined) return own;
  for (const [form, text] of families) {
    const found = form.exec(name);
    if (found !== null) return text(...found.slice(1));
  }
  return undefined;
};
