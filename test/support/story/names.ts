/** What differs from run to run, by the name that the story has for it: the same story is recorded each time. */
import { createHash } from "node:crypto";
import { toStory } from "./calendar.js";

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
/** One within a reference of the bank's. */
const compactUuid = /[0-9A-F]{32}(?![0-9A-F])/g;
const uuidParts = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/;

const isUuid = (text: string): boolean => text.replace(uuid, "") === "";

/** The same one for the same place in the story; it looks as those do that the platform makes. */
const madeUp = (place: string): string => {
  const hex = createHash("sha256").update(place).digest("hex");
  const parts = [hex.slice(0, 3), hex.slice(3, 6), hex.slice(6, 18)] as const;
  return `01980e7c-5a2b-7${parts[0]}-8${parts[1]}-${parts[2]}`;
};

export interface Names {
  /** From here on `platforms` is `storys` wherever it stands, also within a longer text. */
  readonly name: (platforms: string, storys: string) => void;
  /** The same in two tellings: ids without a name are all alike, those of the platform and those of an example. */
  readonly comparable: (value: unknown) => unknown;
  /** A value of a call as the story tells it; what has no name yet gets one after chapter and property. */
  readonly told: (value: unknown, chapter: string) => unknown;
}

/** `always`: of properties with one value in the whole story, as tokens have. */
export const storyNames = (
  storysOwn: readonly string[],
  always: Readonly<Record<string, unknown>>,
): Names => {
  const known = new Map(storysOwn.map((id) => [id, id]));
  const given = new Map<string, string>();
  const others = new Map<string, string>();
  const counts = new Map<string, number>();

  const nameOf = (id: string, place: string): string => {
    const found = given.get(id) ?? known.get(id);
    if (found !== undefined) return found;
    const count = (counts.get(place) ?? 0) + 1;
    counts.set(place, count);
    const made = madeUp(`${place} ${count}`);
    known.set(id, made);
    return made;
  };

  const text = (value: string, place: string): string => {
    let told = toStory(value);
    for (const [platforms, storys] of others) told = told.replaceAll(platforms, storys);
    return told
      .replace(uuid, (id) => nameOf(id, place))
      .replace(compactUuid, (hex) => {
        const id = hex.toLowerCase().replace(uuidParts, "$1-$2-$3-$4-$5");
        return nameOf(id, place).replaceAll("-", "").toUpperCase();
      });
  };

  const told = (value: unknown, chapter: string, property: string): unknown => {
    if (property in always && value !== null) return always[property];
    if (typeof value === "string") return text(value, `${chapter} ${property}`);
    if (Array.isArray(value)) return value.map((item) => told(item, chapter, property));
    if (typeof value === "object" && value !== null)
      return Object.fromEntries(
        Object.entries(value).map(([name, item]) => [name, told(item, chapter, name)]),
      );
    return value;
  };

  const named = (): ReadonlySet<string> => new Set(given.values());
  const comparable = (value: unknown, names: ReadonlySet<string>): unknown => {
    if (typeof value === "string") return value.replace(uuid, (id) => (names.has(id) ? id : "…"));
    if (Array.isArray(value)) return value.map((item) => comparable(item, names));
    if (typeof value === "object" && value !== null)
      return Object.fromEntries(
        Object.entries(value).map(([name, item]) => [name, comparable(item, names)]),
      );
    return value;
  };

  return {
    comparable: (value) => comparable(value, named()),
    name: (platforms, storys) => {
      if (isUuid(platforms)) given.set(platforms, storys);
      else others.set(platforms, storys);
    },
    told: (value, chapter) => told(value, chapter, ""),
  };
};
