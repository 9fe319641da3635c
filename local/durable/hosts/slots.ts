/** The ids that the host knows of, each with its state, and how many instances are in which. */
import type { Message } from "../protocol/messages.js";
import type { LiveInstance } from "../turns/instance-host.js";
import { isInMemory, type InstanceState } from "./instance-states.js";

/** So many messages are kept for instances until they are read; all of them are on disk anyway. */
const keptMax = 10_000;

const resting: ReadonlySet<InstanceState> = new Set(["idle", "holding", "quarantined"]);

export interface Slot {
  readonly id: string;
  readonly state: InstanceState;
  /** There where the state says that the instance is in memory. */
  instance: LiveInstance | undefined;
}

interface OwnSlot extends Slot {
  state: InstanceState;
  /** Messages that came before the instance was in memory. */
  kept: Message[];
}

export class Slots {
  readonly #slots = new Map<string, OwnSlot>();
  /** In the order in which they came to rest. */
  readonly #idle = new Set<OwnSlot>();
  #inMemory = 0;
  #resting = 0;
  #kept = 0;

  get inMemory(): number {
    return this.#inMemory;
  }

  /** How many of those in memory have nothing to do. */
  get resting(): number {
    return this.#resting;
  }

  get ids(): string[] {
    return [...this.#slots.keys()];
  }

  /** True while one of those in memory is in the middle of a turn. */
  get isBusy(): boolean {
    for (const { instance } of this.#slots.values()) if (instance?.isBusy === true) return true;
    return false;
  }

  stateOf(id: string): InstanceState {
    return this.#slots.get(id)?.state ?? "absent";
  }

  instanceOf(id: string): LiveInstance | undefined {
    return this.#slots.get(id)?.instance;
  }

  /** Brings the id to its next state; once absent, nothing is known of it any more. */
  move(id: string, to: InstanceState): Slot {
    const slot = this.#slots.get(id) ?? { id, state: "absent", instance: undefined, kept: [] };
    this.#count(slot, -1);
    slot.state = to;
    this.#count(slot, 1);
    if (!isInMemory(to)) slot.instance = undefined;
    if (to === "absent") {
      this.takeKept(id);
      this.#slots.delete(id);
    } else this.#slots.set(id, slot);
    return slot;
  }

  /** False where no more can be kept. */
  keep(id: string, message: Message): boolean {
    if (this.#kept >= keptMax) return false;
    this.#slots.get(id)?.kept.push(message);
    this.#kept++;
    return true;
  }

  takeKept(id: string): Message[] {
    const kept = this.#slots.get(id)?.kept.splice(0) ?? [];
    this.#kept -= kept.length;
    return kept;
  }

  /** The idle ones beyond `max`, the longest idle first. */
  idleBeyond(max: number): string[] {
    const ids: string[] = [];
    for (const { id } of this.#idle) {
      if (this.#idle.size - ids.length <= max) break;
      ids.push(id);
    }
    return ids;
  }

  #count(slot: OwnSlot, by: 1 | -1): void {
    const { state } = slot;
    if (isInMemory(state)) this.#inMemory += by;
    if (resting.has(state)) this.#resting += by;
    if (state !== "idle") return;
    if (by === 1) this.#idle.add(slot);
    else this.#idle.delete(slot);
  }
}
