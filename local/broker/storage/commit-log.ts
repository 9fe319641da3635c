/** Group commit: what is waiting when the disk is free goes in one statement, a lone write at once. */
import type { MessageKey, StoredMessage } from "../entities/message.js";
import {
  flushStatement,
  marksStatement,
  type Addition,
  type Change,
  type Sighting,
} from "./statements.js";
import type { Writer } from "./writer.js";

/** Writes that are kept together or not at all. */
export interface Unit {
  readonly add?: readonly Addition[];
  readonly change?: readonly Change[];
  readonly remove?: readonly MessageKey[];
  /** The last number that a topic gave out: its messages are rows of its subscriptions. */
  readonly counted?: MessageKey;
  /** Message ids not to be taken twice: what is added under a seen one is left out. */
  readonly sightings?: readonly Sighting[];
  /** Messages that went out to a receiver. A crash of the database server may lose such a mark. */
  readonly delivered?: readonly StoredMessage[];
}

export interface Committed {
  /** Whether another message with this id had come within the entity's window. */
  readonly isDuplicate: (sighting: Sighting) => boolean;
  /** Written again after a lost connection: what the first attempt had done cannot be told. */
  readonly repeated: boolean;
}

interface Waiting {
  readonly unit: Unit;
  readonly resolve: (committed: Committed) => void;
  readonly reject: (error: unknown) => void;
}

const flushRowsMax = 4000;
const flushBytesMax = 8 * 1024 * 1024;

const sightingKey = ({ entityId, messageId }: Omit<Sighting, "seenAtMs" | "forgetAtMs">): string =>
  `${entityId}/${messageId}`;
const messageKey = ({ entityId, sequenceNumber }: MessageKey): string =>
  `${entityId}/${sequenceNumber}`;

export class CommitLog {
  readonly #writer: Writer;
  #waiting: Waiting[] = [];
  #running: Promise<void> | undefined;

  constructor(writer: Writer) {
    this.#writer = writer;
  }

  /** Resolves when the unit is committed. Units are committed in the order of these calls. */
  commit(unit: Unit): Promise<Committed> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ unit, resolve, reject });
      // Not at once: what one read of a socket brings belongs into one flush.
      this.#running ??= Promise.resolve().then(() => this.#run());
    });
  }

  async idle(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#next();
      try {
        const committed = await this.#flush(batch.map(({ unit }) => unit));
        for (const { resolve } of batch) resolve(committed);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#running = undefined;
  }

  /** As many waiting units as one statement may hold, at least one. */
  #next(): Waiting[] {
    let [count, rows, bytes] = [0, 0, 0];
    for (const { unit } of this.#waiting) {
      if (count > 0 && (rows >= flushRowsMax || bytes >= flushBytesMax)) break;
      count += 1;
      rows += (unit.change?.length ?? 0) + (unit.remove?.length ?? 0);
      rows += (unit.delivered?.length ?? 0) + (unit.add?.length ?? 0);
      for (const { message } of unit.add ?? []) bytes += message.bare.length;
    }
    return this.#waiting.splice(0, count);
  }

  async #flush(units: readonly Unit[]): Promise<Committed> {
    const removed = new Map(
      units.flatMap(({ remove }) => remove ?? []).map((key) => [messageKey(key), key]),
    );
    // One statement may touch a row once: the last change holds, a removal swallows them all.
    const changed = new Map<string, Change>();
    for (const { delivered = [], change = [] } of units) {
      const changes = [...delivered.map((message) => ({ message, rewritten: false })), ...change];
      for (const { message, rewritten } of changes) {
        const key = messageKey(message);
        if (removed.has(key)) continue;
        changed.set(key, { message, rewritten: rewritten || changed.get(key)?.rewritten === true });
      }
    }
    if (units.every((unit) => unit.delivered !== undefined)) {
      const { repeated } = await this.#writer.run(marksStatement([...changed.values()]));
      return { isDuplicate: () => false, repeated };
    }
    // Of several with one id in this flush the first is taken.
    const claims = new Map<string, Sighting>();
    for (const sighting of units.flatMap(({ sightings }) => sightings ?? [])) {
      const key = sightingKey(sighting);
      if (!claims.has(key)) claims.set(key, sighting);
    }
    const { rows, repeated } = await this.#writer.run(
      flushStatement({
        added: units
          .flatMap(({ add }) => add ?? [])
          .filter(({ sighting }) => !sighting || claims.get(sightingKey(sighting)) === sighting),
        changed: [...changed.values()],
        removed: [...removed.values()],
        sightings: [...claims.values()],
        counted: units.flatMap(({ counted }) => counted ?? []),
      }),
    );
    const fresh = new Set(
      rows.map((row) => sightingKey({ entityId: row.entity_id, messageId: row.message_id })),
    );
    return {
      isDuplicate: (sighting) => {
        const key = sightingKey(sighting);
        return claims.get(key) !== sighting || !fresh.has(key);
      },
      repeated,
    };
  }
}
