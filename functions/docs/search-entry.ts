/** What the search over all pages finds, as the server lists it and the pages read it. */

export type SearchKind = "Guides" | "Calls" | "Events" | "Errors";

export interface SearchEntry {
  readonly kind: SearchKind;
  readonly title: string;
  /** Beside the title: a path, a summary. */
  readonly about: string;
  /** What it is found by as well, and not shown. */
  readonly words: string;
  readonly path: string;
}
