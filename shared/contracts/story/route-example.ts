/** A call of the story that works, and its answer, as the reference and its pages show it. */

/** Dates, ids and names are the story's. */
export interface RouteExample {
  readonly path?: Readonly<Record<string, string>> | undefined;
  readonly query?: Readonly<Record<string, string>> | undefined;
  /** Absent where the route takes none, or bytes. */
  readonly body?: unknown;
  /** The body of the success answer; absent where that is bytes. */
  readonly answer?: unknown;
}
