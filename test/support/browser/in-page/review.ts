/** What a look at a page finds: what a reader could not read, reach or see. */

/** Empty where all is well. */
export interface Review {
  /** By how much the page is wider than the window, and what hangs over the edge. */
  readonly overhang: readonly string[];
  /** Texts whose contrast is below WCAG's AA. */
  readonly faint: readonly string[];
  /** Headings that do not follow from the one before, or a page without one of the first level. */
  readonly headings: readonly string[];
  /** What has the focus without showing it. */
  readonly unfocused: readonly string[];
  /** Controls and links without a name. */
  readonly nameless: readonly string[];
}

export const soundReview: Review = {
  overhang: [],
  faint: [],
  headings: [],
  unfocused: [],
  nameless: [],
};
