/** Sums of records by kind and zone, and whether those of the affiliates are those of the processor's file. */
import { recordKinds, type RecordKind } from "./record-kinds.js";

export interface KindTotal {
  readonly kind: RecordKind;
  readonly isEuroZone: boolean;
  readonly records: bigint;
  readonly interchangeCents: bigint;
  readonly feeCents: bigint;
}

export interface CountedRecord {
  readonly kind: RecordKind;
  readonly isEuroZone: boolean;
  readonly amountCents: bigint;
  readonly feeCents: bigint;
}

const placeOf = ({ kind, isEuroZone }: Pick<KindTotal, "kind" | "isEuroZone">): string =>
  `${kind} ${isEuroZone ? "EuroZone" : "NonEuroZone"}`;

export type Totals = ReadonlyMap<string, KindTotal>;

/** Adds to what it returns: a file's records come one by one, and there may be millions. */
export const countingTotals = () => {
  const totals = new Map<string, KindTotal>();
  const add = (more: KindTotal): void => {
    const place = placeOf(more);
    const sofar = totals.get(place);
    totals.set(place, {
      kind: more.kind,
      isEuroZone: more.isEuroZone,
      records: (sofar?.records ?? 0n) + more.records,
      interchangeCents: (sofar?.interchangeCents ?? 0n) + more.interchangeCents,
      feeCents: (sofar?.feeCents ?? 0n) + more.feeCents,
    });
  };
  return {
    totals: totals as Totals,
    add,
    count: ({ kind, isEuroZone, amountCents, feeCents }: CountedRecord): void => {
      add({ kind, isEuroZone, records: 1n, interchangeCents: amountCents, feeCents });
    },
  };
};

export const totalsOf = (parts: readonly KindTotal[]): Totals => {
  const counting = countingTotals();
  for (const part of parts) counting.add(part);
  return counting.totals;
};

const figures = ["records", "interchangeCents", "feeCents"] as const;

/** The first figure that differs, in words; undefined: they are equal. */
export const difference = (declared: Totals, found: Totals): string | undefined => {
  for (const kind of recordKinds)
    for (const isEuroZone of [true, false]) {
      const place = placeOf({ kind, isEuroZone });
      for (const figure of figures) {
        const one = declared.get(place)?.[figure] ?? 0n;
        const other = found.get(place)?.[figure] ?? 0n;
        if (one !== other) return `${place}: ${figure} ${other} instead of ${one}`;
      }
    }
  return undefined;
};
