/** What is declared of an error code: its status, its sentence, and what its `errorProperties` hold. */

export interface ErrorEntry {
  readonly status: number;
  /** What a caller reads when the refusal brings no sentence of its own: what is wrong and what to change. */
  readonly description: string;
  /** The properties that it always has, each with an example; `requestId` beside them is every refusal's. */
  readonly properties?: Readonly<Record<string, string>>;
  /** Those that it has where they are to the point. */
  readonly mayHave?: readonly string[];
  /** Its properties are named by whatever was sent: parameters, or pointers into the body. */
  readonly isByField?: true;
}

export type ErrorEntries = Readonly<Record<string, ErrorEntry>>;
