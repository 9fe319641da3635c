/** Which places of a text lie inside a tag: by a browser's reading from every "<", and by a simple one. */

/**
 * Where a reader is inside a tag. All but the last are the states of the HTML standard's tokenizer
 * (13.2.5, those of it that tell one place from another); `unquoted` is a reader that knows no quotes.
 */
const states = [
  "tagName",
  "beforeName",
  "name",
  "afterName",
  "beforeValue",
  "bareValue",
  "doubleQuoted",
  "singleQuoted",
  "unquoted",
] as const;
type State = (typeof states)[number];

const kinds = ["space", "/", "=", '"', "'", ">", "other"] as const;
type Kind = (typeof kinds)[number];

/** Null: the tag is over. What a state does not name leaves it as it is. */
const moves: Readonly<Record<State, Readonly<Partial<Record<Kind, State | null>>>>> = {
  tagName: { space: "beforeName", "/": "beforeName", ">": null },
  beforeName: { "=": "name", '"': "name", "'": "name", other: "name", ">": null },
  name: { space: "afterName", "/": "beforeName", "=": "beforeValue", ">": null },
  afterName: {
    ...{ "/": "beforeName", "=": "beforeValue", '"': "name", "'": "name" },
    ...{ other: "name", ">": null },
  },
  beforeValue: {
    ...{ "/": "bareValue", "=": "bareValue", '"': "doubleQuoted", "'": "singleQuoted" },
    ...{ other: "bareValue", ">": null },
  },
  bareValue: { space: "beforeName", ">": null },
  doubleQuoted: { '"': "beforeName" },
  singleQuoted: { "'": "beforeName" },
  unquoted: { ">": null },
};

const kindOf = (code: number): number => {
  switch (code) {
    case 0x09:
    case 0x0a:
    case 0x0c:
    case 0x0d:
    case 0x20:
      return 0;
    case 0x2f:
      return 1;
    case 0x3d:
      return 2;
    case 0x22:
      return 3;
    case 0x27:
      return 4;
    case 0x3e:
      return 5;
    default:
      return 6;
  }
};

const bitOf = (state: State): number => 1 << states.indexOf(state);

const movedBy = (mask: number, kind: Kind): number => {
  let moved = 0;
  for (const state of states) {
    if ((mask & bitOf(state)) === 0) continue;
    const next = moves[state][kind];
    if (next !== null) moved |= bitOf(next ?? state);
  }
  return moved;
};

/** Readers that began at different places and are in the same state go on alike: a set is enough. */
const table = Int16Array.from({ length: (1 << states.length) * kinds.length }, (_, entry) =>
  movedBy(Math.floor(entry / kinds.length), kinds[entry % kinds.length] ?? "other"),
);

const atStart = bitOf("tagName") | bitOf("unquoted");

/**
 * Whether any of the places lies in a tag that begins at any of the starts; both are indexes into
 * the text in ascending order. Takes a time that grows as the text's length.
 */
export const isAnyInTag = (
  text: string,
  starts: readonly number[],
  places: readonly number[],
): boolean => {
  let readers = 0;
  let start = 0;
  let place = 0;
  for (let index = starts[0] ?? text.length; index < text.length; index += 1) {
    while ((places[place] ?? text.length) < index) place += 1;
    if (places[place] === undefined) return false;
    if (places[place] === index && readers !== 0) return true;
    if (starts[start] === index) {
      readers |= atStart;
      start += 1;
    }
    readers = table[readers * kinds.length + kindOf(text.charCodeAt(index))] ?? 0;
  }
  return false;
};
