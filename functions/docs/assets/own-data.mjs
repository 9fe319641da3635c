// The reader's own values in place of the story's, learnt from the answers; kept for the tab, by caller.
import { freshKey, freshValue, movedDay } from "./fresh.mjs";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const keyProperty = "idempotencyKey";

const mapped = (value, change, property = "") => {
  if (typeof value === "string") return change(value, property);
  if (Array.isArray(value)) return value.map((item) => mapped(item, change, property));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, mapped(item, change, name)]),
  );
};

/** Calls `see` with each text of the story's answer and what the platform's answer has in its place, null included. */
const together = (storys, platforms, see, property = "") => {
  if (typeof storys === "string") see(storys, platforms, property);
  if (typeof storys !== "object" || typeof platforms !== "object") return;
  if (storys === null || platforms === null) return;
  for (const [name, item] of Object.entries(storys))
    together(item, platforms[name], see, Array.isArray(storys) ? property : name);
};

/** Ids, and the codes and references that later calls name. */
const isNamed = (property, text) =>
  uuid.test(text) || /(code|reference|iban|number|token)$/i.test(property);

/** Whether the platform has not yet found what the story's answer names: it is read again. */
export const isUnfinished = (storys, platforms) => {
  let isLacking = false;
  together(storys, platforms, (text, own, property) => {
    isLacking ||= /token$/i.test(property) && own === null;
  });
  return isLacking;
};

export const ownData = (caller) => {
  const storageKey = `borsello-own-${caller}`;
  const known = new Map(JSON.parse(sessionStorage.getItem(storageKey) ?? "[]"));
  /** What is another for each caller from the start. */
  const standing = new Map();
  const keep = () => sessionStorage.setItem(storageKey, JSON.stringify([...known]));
  return {
    has: (storys) => known.has(storys),
    /** As it is now, by the story's values. */
    snapshot: () => new Map(known),
    stand: (pairs) => {
      for (const [storys, own] of pairs) standing.set(storys, own);
    },
    /** An example with the reader's values. */
    own: (value, drawn) =>
      mapped(
        value,
        (text, property) =>
          drawn.get(text) ?? known.get(text) ?? standing.get(text) ?? movedDay(text, property),
      ),
    /** New values for what must be unique: all of it for who creates something, else what has none yet. */
    draw: ({ example, creates, needs }) => {
      const drawn = new Map();
      mapped(example.body, (text, property) => {
        const fresh = property === keyProperty ? freshKey() : freshValue(property, text);
        const isWanted = property === keyProperty || creates || !known.has(text);
        const isOthers = needs.some((need) => need.id === text);
        if (fresh !== undefined && isWanted && !isOthers && !standing.has(text))
          drawn.set(text, fresh);
        return text;
      });
      return drawn;
    },
    /** The key within a body: the story's, and the one in its place. */
    keyIn: (body, drawn) => {
      const storys = body?.[keyProperty];
      return drawn.has(storys) ? { storys, own: drawn.get(storys) } : undefined;
    },
    /** Takes over drawn values once they have been used, and what the answer names. */
    learn: (storys, platforms, drawn, isNew) => {
      for (const [text, own] of drawn) known.set(text, own);
      together(storys, platforms, (text, own, property) => {
        if (typeof own !== "string") return;
        if (isNamed(property, text) && (isNew || !known.has(text))) known.set(text, own);
      });
      keep();
    },
    /** What belonged to something that has a successor now. */
    forget: (texts) => {
      for (const text of texts) known.delete(text);
      keep();
    },
  };
};
