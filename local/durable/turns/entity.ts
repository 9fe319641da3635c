/** A live entity: one batch of operations at a time, in order, the holder of its lock first. */
import { z } from "zod";
import { errorLine } from "../../log-text.js";
import type { Change, Committed } from "../storage/change.js";
import { isRefusedValue } from "../storage/set-aside.js";
import { newEntity, noSuchFunction } from "./command-effects.js";
import {
  isReady,
  parseLock,
  planTurn,
  type EntityTurn,
  type Lock,
  type Operation,
  type OutgoingMessage,
} from "./entity-turn.js";
import type { InstanceHost, TurnServices } from "./instance-host.js";
import { LockChecks } from "./lock-checks.js";
import type { StoredInstance } from "../storage/instance-rows.js";
import type { Message } from "../protocol/messages.js";
import { entityInstanceId, errorMessage, parseEntityId } from "../protocol/protocol.js";
import { operationErrors } from "../protocol/operation-errors.js";
import { logFailedOperation } from "./work-log.js";
import { WorkingInstance, type InstanceState } from "./working-instance.js";

/** What the library answers for a batch. */
const BatchResult = z.object({
  entityExists: z.boolean(),
  entityState: z.string().nullish(),
  results: z.array(z.object({ isError: z.boolean(), result: z.string().nullish() }).nullish()),
  signals: z.array(
    z.object({
      target: z.object({ name: z.string(), key: z.string() }),
      name: z.string(),
      input: z.string().nullish(),
    }),
  ),
});
type BatchResult = z.infer<typeof BatchResult>;

interface EntityState extends InstanceState {
  readonly executionId: string;
  turn: number;
  /** JSON text; empty for an entity that exists without a state, absent for one that does not. */
  state: string | undefined;
  lock: Lock | undefined;
}

/** What a batch of operations did, and why some of them failed, by their place in it. */
interface Outcome {
  readonly result: BatchResult;
  readonly errors: ReadonlyMap<number, string>;
}

const replies = (
  operations: readonly Operation[],
  results: BatchResult["results"],
): OutgoingMessage[] =>
  operations.flatMap(({ body }, index) => {
    if (body.parent === undefined) return [];
    const result = results[index];
    const answer = {
      result: result?.result ?? null,
      ...(result?.isError === true && { exceptionType: "Error" }),
    };
    return [
      {
        target: body.parent,
        ...(body.parentExecution !== undefined && { executionId: body.parentExecution }),
        body: { type: "event" as const, name: body.id, input: JSON.stringify(answer) },
      },
    ];
  });

const signalled = (
  { target, name, input }: BatchResult["signals"][number],
  id: string,
): OutgoingMessage => ({
  target: entityInstanceId(target.name, target.key),
  body: {
    type: "operation",
    id,
    operation: name,
    ...(typeof input === "string" && input !== "" && { input }),
  },
});

export class Entity extends WorkingInstance<EntityState> {
  readonly #locks: LockChecks;
  readonly holdsResults = false;
  /** So many messages are taken one by one: together, what they lead to could not be stored. */
  #oneByOne = 0;
  /** The call whose effect could not be stored: its caller gets the error instead. */
  #refusal: { readonly id: number; readonly error: unknown } | undefined;

  constructor(services: TurnServices, host: InstanceHost, stored: StoredInstance) {
    const { row, messages } = stored;
    const lock = row.entity_lock === null ? undefined : parseLock(row.entity_lock);
    super(services, host, {
      id: row.id,
      key: Number(row.key),
      executionId: row.execution_id,
      epoch: Number(row.epoch),
      turn: row.turn,
      state: row.entity_state ?? undefined,
      lock,
      inbox: new Map(messages.map((message) => [message.id, message])),
    });
    this.#locks = new LockChecks((holders) => services.areOpen(holders), lock);
  }

  get isIdle(): boolean {
    return !this.isBusy && !this.#hasWork();
  }

  receive(message: Message): void {
    this.state.inbox.set(message.id, message);
    this.wake();
  }

  #hasWork(): boolean {
    if (this.services.isStopping()) return false;
    const { inbox, lock } = this.state;
    for (const message of inbox.values()) if (isReady(message, lock)) return true;
    return this.#locks.isNeeded(inbox, lock);
  }

  protected async work(): Promise<void> {
    this.isBusy = true;
    try {
      while (!this.isGone && this.#hasWork()) await this.#step();
    } catch (error) {
      const wasGone = this.isGone;
      this.leave();
      if (!wasGone) this.host.unstorable(this, error);
    }
    this.isBusy = false;
    if (!this.isGone) this.host.rested(this);
  }

  async #step(): Promise<void> {
    const entity = this.state;
    const waiting = [...entity.inbox.values()];
    const { lock, ended } = await this.#locks.run(waiting, entity.lock, () => this.isGone);
    if (this.isGone) return;
    const wanted = waiting.filter(({ id }) => !ended.has(id));
    const messagesMax = this.#oneByOne > 0 ? 1 : Infinity;
    const turn = planTurn(wanted, lock, this.services.entityBatchMax, messagesMax);
    const { result, errors } = await this.#run(turn.operations);
    const sent = [
      ...turn.out,
      ...replies(turn.operations, result.results),
      ...result.signals.map((signal) => signalled(signal, "")),
    ];
    const messages = sent.map((each) => ({ ...each, id: this.services.nextMessageId() }));
    const state = result.entityExists ? (result.entityState ?? "") : undefined;
    const instances = messages.flatMap(({ target, body }) =>
      body.type === "lock" || body.type === "operation" ? [newEntity(target)] : [],
    );
    const change: Change = {
      at: new Date(this.services.clock.now()),
      turn: {
        key: entity.key,
        id: entity.id,
        epoch: entity.epoch,
        turn: entity.turn,
        executionId: entity.executionId,
        status: "Running",
        customStatus: JSON.stringify(result.entityExists ? { entityExists: true } : {}),
        entityState: state,
        entityLock: turn.lock && JSON.stringify(turn.lock),
        clears: "nothing",
      },
      consumed: [...turn.consumed, ...ended],
      messages,
      instances,
    };
    const committed = await this.#commit(change, turn);
    if (committed === undefined) return;
    if (!committed.applied) {
      this.refused();
      return;
    }
    this.#oneByOne = Math.max(0, this.#oneByOne - 1);
    entity.turn++;
    entity.state = state;
    entity.lock = turn.lock;
    for (const id of change.consumed ?? []) entity.inbox.delete(id);
    this.#logFailures(turn.operations, errors);
    this.host.moved(this);
    this.host.created(instances, committed);
    this.host.sent(messages, committed);
  }

  /** Undefined where the database takes none of it: then the message that is at fault is looked for. */
  async #commit(change: Change, turn: EntityTurn): Promise<Committed | undefined> {
    try {
      return await this.services.commit(change);
    } catch (error) {
      if (!isRefusedValue(error)) throw error;
      await this.#isolate(turn, error);
      return undefined;
    }
  }

  /** A message that is at fault by itself goes alone: a call is answered with the error, a signal set aside. */
  async #isolate({ consumed, operations }: EntityTurn, error: unknown): Promise<void> {
    const [id, ...others] = consumed;
    if (id === undefined) throw error;
    if (others.length > 0) {
      this.#oneByOne = consumed.length;
      return;
    }
    const isCall = operations[0]?.body.parent !== undefined;
    if (isCall && this.#refusal?.id !== id) {
      this.#refusal = { id, error };
      this.#oneByOne = Math.max(this.#oneByOne, 1);
      return;
    }
    await this.services.setAside([{ id: String(id), instanceId: this.id, error }]);
    this.state.inbox.delete(id);
    this.#oneByOne = Math.max(0, this.#oneByOne - 1);
  }

  /** A batch that fails as a whole changes nothing; each caller gets the error. */
  async #run(operations: readonly Operation[]): Promise<Outcome> {
    const { id, state } = this.state;
    const self = parseEntityId(id) ?? { name: "", key: "" };
    const unchanged = {
      entityExists: state !== undefined,
      entityState: state,
      results: [],
      signals: [],
    };
    if (operations.length === 0) return { result: unchanged, errors: new Map() };
    const { functions } = this.services;
    const name = functions.find("entity", self.name);
    const thrown: Error[] = [];
    try {
      if (this.#refusal?.id === operations[0]?.id) throw this.#refusal?.error;
      if (name === undefined) throw new Error(noSuchFunction(functions, "entity", self.name));
      const batch = operations.map(({ body }) => ({
        name: body.operation,
        isSignal: body.parent === undefined,
        ...(body.input !== undefined && { input: body.input }),
      }));
      const trigger = {
        self,
        exists: state !== undefined,
        ...(state !== undefined && state !== "" && { state }),
        batch,
      };
      const run = functions.runEntity(name, trigger, (error) => thrown.push(error));
      const result = BatchResult.parse(await run);
      return { result, errors: operationErrors(result.results, thrown) };
    } catch (error) {
      const result = JSON.stringify(errorMessage(error));
      return {
        result: { ...unchanged, results: operations.map(() => ({ isError: true, result })) },
        errors: new Map(operations.map((_, index) => [index, errorLine(error)])),
      };
    }
  }

  #logFailures(operations: readonly Operation[], errors: ReadonlyMap<number, string>): void {
    const { id } = this.state;
    const name = parseEntityId(id)?.name ?? id;
    for (const [index, error] of errors) {
      const operation = operations[index]?.body.operation ?? "";
      logFailedOperation(this.services.log, { name, id }, operation, error);
    }
  }
}
