/** Group commit: what is waiting when the disk is free goes in one statement, a lone write at once. */
import type { MessageKey, StoredMessage } from "./stored-message.js";
import {
  flushStatement,
  marksStatement,
  type Addition,
  type Change,
  type Detection,
} from "./statements.js";
import type { Writer } from "./writer.js";

/** Writes that are kept together or not at all. */
export interface Unit {
  readonly add?: readonly Addition[];
  readonly change?: readonly Change[];
  readonly remove?: readonly MessageKey[];
  /** The last numbers that entities gave out, where none of the rows may have them. */
  readonly counted?: readonly MessageKey[];
  /** Message ids not to be taken twice: what is added under a seen one is left out. */
  readonly detections?: readonly Detection[];
  /** Messages that went out to a receiver. A crash of the database server may lose such a mark. */
  readonly delivered?: readonly StoredMessage[];
}

export interface Committed {
  /** Whether another message with this id had come within the entity's window. */
  readonly isDuplicate: (detection: Detection) => boolean;
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
/** What may wait for a database that is slow or away, before senders are asked to come back. */
const waitingUnitsMax = 20_000;
const waitingBytesMax = 64 * 1024 * 1024;

const bytesOf = ({ add = [] }: Unit): number =>
  add.reduce((bytes, { message }) => bytes + message.bare.length, 0);

const detectionKey = ({
  entityId,
  messageId,
}: Omit<Detection, "seenAtMs" | "forgetAtMs">): string => `${entityId}/${messageId}`;
const messageKey = ({ entityId, sequenceNumber }: MessageKey): string =>
  `${entityId}/${sequenceNumber}`;

export class CommitLog {
  readonly #writer: Writer;
  #waiting: Waiting[] = [];
  #waitingBytes = 0;
  #running: Promise<void> | undefined;

  constructor(writer: Writer) {
    this.#writer = writer;
  }

  /** Whether what could as well come later should not be added. */
  get isFull(): boolean {
    return this.#waiting.length >= waitingUnitsMax || this.#waitingBytes >= waitingBytesMax;
  }

  /** Resolves when the unit is committed. Units are committed in the order of these calls. */
  commit(unit: Unit): Promise<Committed> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ unit, resolve, reject });
      this.#waitingBytes += bytesOf(unit);
      // Not at once: what one read of a socket brings belongs into one flush.
      this.#running ??= Promise.resolve().then(() => this.#run());
    });
  }

  async idle(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) await this.#write(this.#next());
    this.#running = undefined;
  }

  /** What one client wrote and the database refuses must not be refused to the others: it is halved out. */
  async #write(batch: readonly Waiting[]): Promise<void> {
    try {
      const committed = await this.#flush(batch.map(({ unit }) => unit));
      for (const { resolve } of batch) resolve(committed);
    } catch (error) {
      if (batch.length === 1) batch[0]?.reject(error);
      else {
        const middle = batch.length >>> 1;
        await this.#write(batch.slice(0, middle));
        await this.#write(batch.slice(middle));
      }
    }
  }

  /** As many waiting units as one statement may hold, at least one. */
  #next(): Waiting[] {
    let [count, rows, bytes] = [0, 0, 0];
    for (const { unit } of this.#waiting) {
      if (count > 0 && (rows >= flushRowsMax || bytes >= flushBytesMax)) break;
      count += 1;
      rows += (unit.change?.length ?? 0) + (unit.remove?.length ?? 0);
      rows += (unit.delivered?.length ?? 0) + (unit.add?.length ?? 0);
      bytes += bytesOf(unit);
    }
    this.#waitingBytes -= bytes;
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
    const claims = new Map<string, Detection>();
    for (const detection of units.flatMap(({ detections }) => detections ?? [])) {
      const key = detectionKey(detection);
      if (!claims.has(key)) claims.set(key, detection);
    }
    const { rows, repeated } = await this.#writer.run(
      flushStatement({
        added: units
          .flatMap(({ add }) => add ?? [])
          .filter(
            ({ detection }) => !detection || claims.get(detectionKey(detection)) === detection,
          ),
        changed: [...changed.values()],
        removed: [...removed.values()],
        detections: [...claims.values()],
        counted: units.flatMap(({ counted }) => counted ?? []),
      }),
    );
    const fresh = new Set(
      rows.map((row) => detectionKey({ entityId: row.entity_id, messageId: row.message_id })),
    );
    return {
      isDuplicate: (detection) => {
        const key = detectionKey(detection);
        return claims.get(key) !== detection || !fresh.has(key);
      },
      repeated,
    };
  }
}
