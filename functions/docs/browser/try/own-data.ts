/** The reader's own values in place of the story's, learnt from the answers; kept for the tab, by caller. */
import type { Call } from "../../reference/call-plan.js";
import { keep, readKept } from "../kit/storage.js";
import { canBePutOff, movedDay, putOffDay } from "./days.js";
import { freshKey, freshValue } from "./fresh.js";

/** The reader's values by the story's. */
export type Values = ReadonlyMap<string, string>;

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const keyProperty = "idempotencyKey";

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

type Change = (text: string, property: string) => string;

const changed = (value: unknown, change: Change, property: string): unknown => {
  if (typeof value === "string") return change(value, property);
  if (Array.isArray(value)) return value.map((item) => changed(item, change, property));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, changed(item, change, name)]),
  );
};

/** The same with other texts. */
const mapped = <Value>(value: Value, change: Change): Value => changed(value, change, "") as Value;

/** Calls `see` with each text of the story's answer and what the platform's answer has in its place, null included. */
const together = (
  storys: unknown,
  platforms: unknown,
  see: (storys: string, platforms: unknown, property: string) => void,
  property = "",
): void => {
  if (typeof storys === "string") see(storys, platforms, property);
  if (!isObject(storys) || !isObject(platforms)) return;
  for (const [name, item] of Object.entries(storys))
    together(item, platforms[name], see, Array.isArray(storys) ? property : name);
};

/** Ids, and the codes and references that later calls name. */
const isNamed = (property: string, text: string): boolean =>
  uuid.test(text) || /(code|reference|iban|number|token)$/i.test(property);

/** Whether the platform has not yet found what the story's answer names: it is read again. */
export const isUnfinished = (storys: unknown, platforms: unknown): boolean => {
  let isLacking = false;
  together(storys, platforms, (_text, own, property) => {
    isLacking ||= /token$/i.test(property) && own === null;
  });
  return isLacking;
};

/** Whether the platform's answer has something in the place of this text of the story's. */
export const shows = (storys: unknown, platforms: unknown, wanted: string): boolean => {
  let isShown = false;
  together(storys, platforms, (text, own) => {
    isShown ||= text === wanted && typeof own === "string";
  });
  return isShown;
};

/** The key within a body: the story's, and the one in its place. */
export interface KeyInBody {
  readonly storys: string;
  readonly own: string;
}

export const keyIn = (body: unknown, drawn: Values): KeyInBody | undefined => {
  const storys = isObject(body) ? body[keyProperty] : undefined;
  const own = typeof storys === "string" ? drawn.get(storys) : undefined;
  return typeof storys === "string" && own !== undefined ? { storys, own } : undefined;
};

export class OwnData {
  readonly #storageKey: string;
  readonly #known: Map<string, string>;
  /** What is another for each caller from the start. */
  readonly #standing: Values;

  constructor(callerName: string, standing: Values = new Map()) {
    this.#storageKey = `borsello-own-${callerName}`;
    const kept = readKept("sessionStorage", this.#storageKey) ?? "[]";
    this.#known = new Map(JSON.parse(kept) as [string, string][]);
    this.#standing = standing;
  }

  #keep(): void {
    keep("sessionStorage", this.#storageKey, JSON.stringify([...this.#known]));
  }

  has(storys: string): boolean {
    return this.#known.has(storys);
  }

  /** As it is now. */
  snapshot(): Map<string, string> {
    return new Map(this.#known);
  }

  /** An example with the reader's values. */
  own<Value>(value: Value, drawn: Values): Value {
    return mapped(
      value,
      (text, property) =>
        drawn.get(text) ??
        this.#known.get(text) ??
        this.#standing.get(text) ??
        movedDay(text, property),
    );
  }

  /**
   * New values for what must be unique: all of it for who creates something, else what has none yet. Days that can
   * be put off are known from then on.
   */
  draw({ example, creates, needs }: Call): Map<string, string> {
    const drawn = new Map<string, string>();
    mapped({ query: example.query, body: example.body }, (text, property) => {
      if (canBePutOff(property) && !this.#known.has(text))
        this.#known.set(text, movedDay(text, property));
      return text;
    });
    mapped(example.body, (text, property) => {
      const fresh = property === keyProperty ? freshKey() : freshValue(property, text);
      const isWanted = property === keyProperty || creates || !this.#known.has(text);
      const isOthers = needs.some((need) => need.id === text);
      if (fresh !== undefined && isWanted && !isOthers && !this.#standing.has(text))
        drawn.set(text, fresh);
      return text;
    });
    return drawn;
  }

  /** Takes over drawn values once they have been used, and what the answer names. */
  learn(storys: unknown, platforms: unknown, drawn: Values, isNew: boolean): void {
    for (const [text, own] of drawn) this.#known.set(text, own);
    together(storys, platforms, (text, own, property) => {
      if (typeof own !== "string") return;
      if (isNamed(property, text) && (isNew || !this.#known.has(text))) this.#known.set(text, own);
    });
    this.#keep();
  }

  /** Later days for those that the platform refused. Returns whether the call has any. */
  putOff({ example }: Call, refusal: unknown): boolean {
    let isPutOff = false;
    mapped({ query: example.query, body: example.body }, (text, property) => {
      const own = this.#known.get(text);
      if (!canBePutOff(property) || own === undefined) return text;
      this.#known.set(text, putOffDay(own, property, JSON.stringify(refusal)));
      isPutOff = true;
      return text;
    });
    this.#keep();
    return isPutOff;
  }

  replace(storys: string, own: string): void {
    this.#known.set(storys, own);
    this.#keep();
  }

  /** What belonged to something that has a successor now. */
  forget(texts: readonly string[]): void {
    for (const text of texts) this.#known.delete(text);
    this.#keep();
  }
}
