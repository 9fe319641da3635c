/** The states of a clearing bookmark (contract 4.5): who leads from which to which, and what a caller may ask in each. */

export const bookmarkStatuses = [
  "Queued",
  "Importing",
  "Aggregating",
  "Exporting",
  "Completed",
  "Failed",
] as const;
export type BookmarkStatus = (typeof bookmarkStatuses)[number];

export const clearingModes = ["Full", "ImportOnly", "ExportOnly"] as const;
export type ClearingMode = (typeof clearingModes)[number];

/** Seconds before each try after the first one; as many tries as entries (contract 5, retries). */
export const trySeconds = [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 36_000] as const;

/** Where a clearing stands, as far as it decides what may be asked of it. */
export interface BookmarkPlace {
  readonly status: BookmarkStatus;
  readonly mode: ClearingMode;
  /** Exporting, and waits to be asked for its files. */
  readonly isResting: boolean;
  /** Both of the processor's files are there and read to their end. */
  readonly isImported: boolean;
}

/** What asking does: begins anew, is one more who waits for what is under way, or has no effect. */
export type Effect = "begins" | "joins" | "nothing";

export type PlaceName = "Queued" | "running" | "resting" | "Failed" | "Completed";

export const placeName = ({ status, isResting }: BookmarkPlace): PlaceName => {
  if (status === "Queued" || status === "Failed" || status === "Completed") return status;
  return isResting ? "resting" : "running";
};

/** An effect that may depend on the import: what is whole is not imported again, what is not can't be exported. */
export type ConditionalEffect = Effect | "begins if imported" | "begins unless imported";

const joins = { Full: "joins", ImportOnly: "joins", ExportOnly: "joins" } as const;

/** What a force queue or a force export (ExportOnly) does, by where the clearing stands. */
export const effects: Readonly<
  Record<PlaceName, Readonly<Record<ClearingMode, ConditionalEffect>>>
> = {
  Queued: joins,
  running: joins,
  resting: {
    Full: "begins",
    ImportOnly: "begins unless imported",
    ExportOnly: "begins if imported",
  },
  Failed: { Full: "begins", ImportOnly: "begins", ExportOnly: "begins if imported" },
  Completed: { Full: "nothing", ImportOnly: "nothing", ExportOnly: "nothing" },
};

export const effectOf = (place: BookmarkPlace, asked: ClearingMode): Effect => {
  const effect = effects[placeName(place)][asked];
  if (effect === "begins if imported") return place.isImported ? "begins" : "nothing";
  if (effect === "begins unless imported") return place.isImported ? "nothing" : "begins";
  return effect;
};

/** How far a clearing is to go, and for whom: null is for everybody. */
export interface Wish {
  readonly mode: ClearingMode;
  readonly affiliateKeys: readonly string[] | null;
}

/** What a clearing under way does once somebody else asks, too: all that either of them wants. */
export const joinedWish = (present: Wish, asked: Wish): Wish => {
  if (asked.mode === "ImportOnly") return present;
  if (present.mode === "ImportOnly") return asked;
  const affiliateKeys =
    present.affiliateKeys === null || asked.affiliateKeys === null
      ? null
      : [...new Set([...present.affiliateKeys, ...asked.affiliateKeys])];
  return {
    mode: present.mode === "Full" || asked.mode === "Full" ? "Full" : "ExportOnly",
    affiliateKeys,
  };
};

/** Why its files can't be deleted now; undefined: they can. */
export const whyKept = (
  place: Pick<BookmarkPlace, "status" | "isResting">,
): "ClearingFileAlreadyDelivered" | "ClearingBookmarkStatusInvalid" | undefined => {
  if (place.status === "Completed") return "ClearingFileAlreadyDelivered";
  return place.status === "Failed" || place.isResting ? undefined : "ClearingBookmarkStatusInvalid";
};
