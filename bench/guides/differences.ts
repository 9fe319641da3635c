/** Compares what a guide shows with what was printed: all but what differs from run to run. */
import { leftOut } from "./shown-values.js";

type Fields = Readonly<Record<string, unknown>>;

const uuid = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi;
const token = /\beyJ[\w-]+\.[\w-]+\.[\w-]+/g;
const moment = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)/g;
const date = /\b\d{4}-\d\d-\d\d\b/g;

/** Texts that differ in nothing but these are the same. */
const withoutChance = (text: string): string =>
  text
    .replace(token, "<token>")
    .replace(uuid, "<id>")
    .replace(moment, "<moment>")
    .replace(date, "<date>");

const countingField = /^(?:sequence|entityVersion|nextAfter|expires_in|transactionId)$/;
const codedField = /(?:id|code|reference|key|token|number|cursor)$/i;

const digits = /^\d+$/;

/** `K7PM2XQ4` is like any eight capitals and digits. */
const alphabetOf = (text: string): string =>
  [/[a-z]/, /[A-Z\d]/, /[^a-zA-Z\d]/].map((kind) => (kind.test(text) ? "1" : "0")).join("");

const isCode = (name: string, text: string): boolean =>
  codedField.test(name) && /\d/.test(text) && !/\s/.test(text);

const sameText = (name: string, shown: string, printed: string): boolean => {
  const [wanted, got] = [withoutChance(shown), withoutChance(printed)];
  if (wanted.endsWith(leftOut)) {
    const beginning = wanted.slice(0, -leftOut.length);
    return got.startsWith(beginning) || printed.startsWith(beginning);
  }
  if (wanted === got) return true;
  if (!isCode(name, shown)) return false;
  if (digits.test(shown)) return digits.test(printed);
  return shown.length === printed.length && alphabetOf(shown) === alphabetOf(printed);
};

const sameValue = (name: string, shown: unknown, printed: unknown): boolean => {
  if (typeof shown === "string" && typeof printed === "string")
    return sameText(name, shown, printed);
  if (typeof shown === "number" && typeof printed === "number" && countingField.test(name))
    return true;
  return shown === printed;
};

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const told = (value: unknown): string => (value === undefined ? "nothing" : JSON.stringify(value));

const fieldDifferences = (path: string, shown: Fields, printed: Fields): string[] => {
  const missing = Object.entries(shown)
    .filter(([name]) => name !== leftOut)
    .flatMap(([name, value]) =>
      name in printed
        ? differences(`${path}/${name}`, value, printed[name])
        : [`${path}/${name} is not there`],
    );
  if (leftOut in shown) return missing;
  const others = Object.keys(printed).filter((name) => !(name in shown));
  return [...missing, ...others.map((name) => `${path}/${name} is not shown`)];
};

/** The place in the printed items where the shown ones begin after a gap; undefined: nowhere. */
const itemDifferences = (
  path: string,
  shown: readonly unknown[],
  printed: readonly unknown[],
): string[] => {
  const gap = shown.indexOf(leftOut);
  const before = gap === -1 ? shown : shown.slice(0, gap);
  if (gap === -1 && shown.length !== printed.length)
    return [`${path} has ${printed.length} items, not ${shown.length}`];
  const first = before.flatMap((item, place) =>
    differences(`${path}/${place}`, item, printed[place]),
  );
  const after = gap === -1 ? [] : shown.slice(gap + 1);
  if (first.length > 0 || after.length === 0) return first;
  const rest = printed.slice(before.length);
  const fits = rest.some(
    (_, place) => itemDifferences(path, after, rest.slice(place)).length === 0,
  );
  return fits ? [] : [`${path} does not go on as shown after the items that are left out`];
};

/** One sentence for each difference; none where what was printed is what is shown. */
export const differences = (path: string, shown: unknown, printed: unknown): string[] => {
  if (shown === leftOut) return printed === undefined ? [`${path} is not there`] : [];
  if (Array.isArray(shown) && Array.isArray(printed)) return itemDifferences(path, shown, printed);
  if (isFields(shown) && isFields(printed)) return fieldDifferences(path, shown, printed);
  const name = path.slice(path.lastIndexOf("/") + 1);
  return sameValue(name, shown, printed)
    ? []
    : [`${path} is ${told(printed)}, and is shown as ${told(shown)}`];
};
