/** The sequence numbers of one entity: one after the other, none twice, across restarts too. */
import type { EntityRecord } from "../storage/entity-store.js";

export interface Entity extends EntityRecord {
  readonly path: string;
}

/** The last number is committed with the message that has it. */
export class Numbers {
  #last: number;

  constructor({ lastSequenceNumber }: EntityRecord) {
    this.#last = lastSequenceNumber;
  }

  get last(): number {
    return this.#last;
  }

  next(): number {
    this.#last += 1;
    return this.#last;
  }
}
