/** A live orchestration: takes its messages, runs its turns, and keeps memory and disk in step. */
import { noteFailure } from "../../failures.js";
import { applyTurn } from "./apply-turn.js";
import type { BegunInstance, Change, Committed } from "../storage/change.js";
import { runTurn } from "./code-turn.js";
import type { InstanceHost, TurnServices } from "./instance-host.js";
import { followingTurn, isStopped, joinedTurns, type PlayedTurn } from "./joined-turns.js";
import type { StoredActivity } from "../storage/instance-rows.js";
import type { Message } from "../protocol/messages.js";
import { isLockedOut, type ActivityEnd, type OrchestrationState } from "./orchestration-state.js";
import { mismatchTurn, refusedTurn, suspensionTurn, terminationTurn } from "./control-turns.js";
import { withTimeout } from "../storage/time-limit.js";
import { isKept } from "../storage/unread-messages.js";
import { errorMessage, type FinalStatus } from "../protocol/protocol.js";
import { arrivals, type Arrivals } from "./turn-events.js";
import type { Continued, Turn, TurnContext } from "./turn.js";
import { judgeVersion, type Verdict } from "../protocol/versions.js";
import { logFailedActivity, logFailedOrchestration, logRetries } from "./work-log.js";
import { WorkingInstance } from "./working-instance.js";

/** What is to be done next; without a turn where nothing of what arrived still means anything. */
interface Step {
  readonly context: TurnContext;
  readonly turn: Turn | undefined;
}

/** What a first turn could be stored with waits so long at most for it, before it is stored without it. */
const firstTurnMs = 100;

export class Orchestration extends WorkingInstance<OrchestrationState> {
  #running = 0;
  /** The first turn of an execution, where it was begun before that was on disk. */
  #lateStep: Promise<Step> | undefined;

  constructor(services: TurnServices, host: InstanceHost, state: OrchestrationState) {
    super(services, host, state);
    for (const activity of state.openActivities.values()) this.#start(activity);
  }

  get isIdle(): boolean {
    return !this.isBusy && this.#running === 0 && !this.#hasWork();
  }

  get holdsResults(): boolean {
    return this.state.ends.length > 0;
  }

  receive(message: Message): void {
    const { body } = message;
    // The row of a cancelled timer is gone already; its entry in memory may outlive it.
    if (body.type === "timer" && !this.state.openTimers.has(body.taskId)) return;
    this.state.inbox.set(message.id, message);
    this.wake();
  }

  /** Brings a new instance to disk and on its way: in one write with its first turn, if possible. */
  async begin(begun: BegunInstance, signal: AbortSignal): Promise<void> {
    this.isBusy = true;
    const first = await this.#promptFirst();
    const turn = first?.turn;
    // What the database refuses together is tried alone; the turn is refused again, then, and fails.
    const both = turn && (await this.#commitFirst({ ...turn.change, begun }, signal));
    const alone = { at: new Date(this.services.clock.now()), begun };
    const { applied } = both ?? (await this.services.commit(alone, signal));
    if (!applied) {
      this.refused();
      return;
    }
    this.host.begun(this);
    if (first !== undefined && turn !== undefined && both !== undefined)
      this.#conclude(first.context, turn, both);
    if (!this.isGone) void this.work();
  }

  /** Undefined where the database refuses the instance together with its first turn. */
  async #commitFirst(change: Change, signal: AbortSignal): Promise<Committed | undefined> {
    try {
      return await this.services.commit(change, signal);
    } catch (error) {
      noteFailure("Storing an orchestration with its first turn", error);
      return undefined;
    }
  }

  /** Undefined where the code is slow, or must not run here at all. */
  async #promptFirst(): Promise<Step | undefined> {
    if (this.#verdict === "leave") return undefined;
    const first = this.#nextTurn();
    // A turn that fails does so again where it is waited for, as a late one.
    const prompt = await withTimeout(firstTurnMs, first).catch(() => undefined);
    if (prompt === undefined) this.#lateStep = first;
    return prompt;
  }

  #start(activity: StoredActivity): void {
    const { executionId } = this.state;
    this.#running++;
    const done = (outcome: ActivityEnd["outcome"]): void => {
      this.#running--;
      if (!outcome.ok)
        logFailedActivity(this.services.log, this.state, { ...activity, error: outcome.error });
      this.state.ends.push({ taskId: activity.taskId, executionId, outcome });
      this.wake();
    };
    const { traceParent } = this.state;
    this.services.startActivity({ activity, instanceId: this.id, traceParent, done });
  }

  #find(type: Message["body"]["type"]): Message | undefined {
    for (const message of this.state.inbox.values()) if (message.body.type === type) return message;
    return undefined;
  }

  get #verdict(): Verdict {
    return judgeVersion(this.state.version, this.services.versions);
  }

  #hasWork(): boolean {
    if (this.#verdict === "leave" || isLockedOut(this.state))
      return this.#find("terminate") !== undefined;
    const { status, history, inbox, ends, carried } = this.state;
    if (status === "Suspended")
      return [...inbox.values()].some(
        ({ body }) => body.type === "resume" || body.type === "terminate",
      );
    if (this.services.isStopping()) return ends.length > 0;
    return history.length === 0 || inbox.size > 0 || ends.length > 0 || carried.length > 0;
  }

  protected async work(): Promise<void> {
    this.isBusy = true;
    try {
      while (!this.isGone && this.#hasWork()) await this.#step();
    } catch (error) {
      this.leave();
      this.host.unstorable(this, error);
    }
    this.isBusy = false;
    if (!this.isGone) this.host.rested(this);
  }

  async #step(): Promise<void> {
    const late = this.#lateStep;
    this.#lateStep = undefined;
    const { context, turn } = await (late ?? this.#nextTurn());
    if (turn === undefined) return this.#discard(context.arrivals);
    const { next } = turn;
    if (next.kind === "continued" && (await this.#storeJoined({ context, turn }, next))) return;
    const stored = await this.#store(context, turn);
    if (this.isGone) return;
    if (!stored.committed.applied) {
      this.refused();
      return;
    }
    this.#conclude(context, stored.turn, stored.committed);
  }

  /** Writes the end of an execution with the first turn of the next; false where they go one by one. */
  async #storeJoined(last: PlayedTurn, continued: Continued): Promise<boolean> {
    if (isStopped(this.state)) return false;
    const following = followingTurn(last.context, continued);
    const first = await withTimeout(firstTurnMs, following).catch(() => undefined);
    const joined = first && joinedTurns(last, first);
    // It is the next turn all the same; one that failed does so again where it is waited for.
    if (joined === undefined) this.#lateStep = following;
    const committed = joined && (await this.#commitJoined(joined.turn.change));
    if (joined === undefined || committed === undefined) return false;
    if (!committed.applied) this.refused();
    else if (!this.isGone) this.#conclude(joined.context, joined.turn, committed);
    return true;
  }

  /** Undefined where the database refuses both turns together. */
  async #commitJoined(change: Change): Promise<Committed | undefined> {
    try {
      return await this.services.commit(change);
    } catch (error) {
      noteFailure("Storing the end of an execution with the next one's first turn", error);
      return undefined;
    }
  }

  /** The turn is on disk. */
  #conclude({ arrivals: taken }: TurnContext, turn: Turn, committed: Committed): void {
    applyTurn(this.state, turn, taken);
    if (!this.services.keepsSessions) this.state.session = undefined;
    logRetries(this.services.log, this.state, turn.events);
    this.#publish(turn, committed);
  }

  /** A turn that the database refuses would be refused for ever; so the orchestration fails. */
  async #store(context: TurnContext, turn: Turn): Promise<{ committed: Committed; turn: Turn }> {
    try {
      return { committed: await this.services.commit(turn.change), turn };
    } catch (error) {
      const refused = refusedTurn(context, errorMessage(error));
      return { committed: await this.services.commit(refused.change), turn: refused };
    }
  }

  /** What arrived came too late to mean anything: no turn, and nothing for the history. */
  async #discard({ consumed, endsTaken }: Arrivals): Promise<void> {
    this.state.ends.splice(0, endsTaken);
    for (const id of consumed) this.state.inbox.delete(id);
    await this.services.commit({ at: new Date(this.services.clock.now()), consumed });
  }

  async #nextTurn(): Promise<Step> {
    const state = this.state;
    const last = state.history.at(-1)?.Timestamp.getTime() ?? 0;
    const nowMs = Math.max(this.services.clock.now(), last);
    const found = arrivals(state, new Date(nowMs));
    // A timer never fires early in the eyes of the code that set it.
    const now = new Date(Math.max(nowMs, found.latestFireAt));
    const context: TurnContext = {
      state,
      functions: this.services.functions,
      now,
      arrivals: now.getTime() === nowMs ? found : arrivals(state, now),
      nextMessageId: () => this.services.nextMessageId(),
      defaultVersion: this.services.versions.defaultVersion,
    };
    const terminate = this.#find("terminate");
    if (terminate !== undefined) return { context, turn: terminationTurn(context, terminate) };
    if (this.#verdict === "fail") return { context, turn: mismatchTurn(context) };
    const suspend = this.#find("suspend");
    if (suspend !== undefined && state.status !== "Suspended" && state.history.length > 0)
      return suspensionTurn(context, suspend);
    const isEmpty = found.events.length === 0 && state.carried.length === 0;
    if (isEmpty && state.history.length > 0) return { context, turn: undefined };
    return { context, turn: await runTurn(context) };
  }

  #publish(turn: Turn, committed: Committed): void {
    const { turn: row, activities = [], instances = [], messages = [] } = turn.change;
    if (turn.next.kind === "ended") {
      this.isGone = true;
      const { error } = turn.next;
      if (error !== undefined)
        logFailedOrchestration(this.services.log, this.state.name, this.id, error);
      this.#discardLate(turn.next.status);
      this.host.ended(this, { status: turn.next.status, output: row?.output });
    } else this.host.moved(this);
    if (!this.isGone)
      for (const { taskId, name, input } of activities) this.#start({ taskId, name, input });
    this.host.created(instances, committed);
    this.host.sent(messages, committed);
  }

  /** What arrived while the last turn was being written is on disk, and nobody will ask for it. */
  #discardLate(status: FinalStatus): void {
    const late = [...this.state.inbox.values()].filter(({ body }) => !isKept(body.type, status));
    const consumed = late.map(({ id }) => id);
    if (consumed.length === 0) return;
    // Left where it is when this fails: the next start of a host removes it.
    this.services
      .commit({ at: new Date(this.services.clock.now()), consumed })
      .catch((error: unknown) => noteFailure("Removing late messages", error));
  }
}
