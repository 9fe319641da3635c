/** The tables of states as docs/cards.md prints them. */
import {
  accountTransitions,
  cardTransitions,
  conditions,
  type Transition,
} from "../../../shared/domain/card/transitions.js";

const row = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string[] =>
  [head, head.map(() => "-"), ...rows].map(row);

const code = (text: string): string => `\`${text}\``;

const cellsOf = (transition: Transition<string, string>): string[] => [
  transition.command,
  transition.from.length === 0 ? "–" : transition.from.map(code).join(", "),
  code(transition.to),
  transition.conditions.length === 0
    ? "–"
    : transition.conditions.map((name) => conditions[name].sentence).join("; and "),
  transition.event,
  transition.told === null ? "–" : code(transition.told),
];

const head = ["command", "from", "to", "where", "event", "told to the processor"];

export const accountTable = (): string[] =>
  table(
    [...head, "its cards"],
    accountTransitions.map((row) => [...cellsOf(row), row.cards ?? "keep their status"]),
  );

export const cardTable = (): string[] => table(head, cardTransitions.map(cellsOf));

/** A table's lines without what only aligns its columns. */
export const unaligned = (line: string): string =>
  line.replace(/ +/g, " ").replace(/-+/g, "-").trim();
