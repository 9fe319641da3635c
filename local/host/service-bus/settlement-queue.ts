/**
 * Settles messages one after another. The client's AMQP library merges two settlements of one
 * moment into one range with the outcome of the first, so that an abandoned message could be
 * completed: each settlement therefore waits for the one before it.
 */
export class SettlementQueue {
  #last: Promise<void> = Promise.resolve();

  add(settle: () => Promise<void>): Promise<void> {
    const mine = this.#last.then(settle);
    // Its failure is for whoever asked for it; the next settlement begins all the same.
    this.#last = mine.catch(() => undefined);
    return mine;
  }

  /** Resolves when all that was added so far is settled. */
  idle(): Promise<void> {
    return this.#last;
  }
}
