/** What a live orchestration and a live entity have in common: who they are, and how they are woken and let go. */
import { countUndated, type Message } from "../protocol/messages.js";
import type { InstanceHost, LiveInstance, TurnServices } from "./instance-host.js";

export interface InstanceState {
  readonly id: string;
  readonly key: number;
  readonly epoch: number;
  readonly turn: number;
  /** What has reached it and is not consumed, by its number. */
  readonly inbox: Map<number, Message>;
}

export abstract class WorkingInstance<State extends InstanceState> implements LiveInstance {
  protected readonly services: TurnServices;
  protected readonly host: InstanceHost;
  protected readonly state: State;
  isBusy = false;
  protected isGone = false;

  protected constructor(services: TurnServices, host: InstanceHost, state: State) {
    this.services = services;
    this.host = host;
    this.state = state;
  }

  abstract readonly isIdle: boolean;
  abstract readonly holdsResults: boolean;
  abstract receive(message: Message): void;
  /** Does all that is to be done now, one turn after the other. */
  protected abstract work(): Promise<void>;

  get id(): string {
    return this.state.id;
  }

  get key(): number {
    return this.state.key;
  }

  get epoch(): number {
    return this.state.epoch;
  }

  get turn(): number {
    return this.state.turn;
  }

  get waiting(): number {
    return countUndated(this.state.inbox.values());
  }

  has(messageId: number): boolean {
    return this.state.inbox.has(messageId);
  }

  wake(): void {
    if (!this.isBusy && !this.isGone) void this.work();
  }

  leave(): void {
    this.isGone = true;
  }

  protected refused(): void {
    this.leave();
    this.host.refused(this);
  }
}
