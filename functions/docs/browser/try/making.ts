/** Makes first what a call needs, and mends what a refusal complains of, so that a prefilled call goes through. */
import type { Call, CallPlan, Sandbox } from "../../reference/call-plan.js";
import { callerFor, type Caller } from "./caller.js";
import { freshKey } from "./fresh.js";
import type { Outcome } from "./outcome.js";
import { isUnfinished, type OwnData, type Values } from "./own-data.js";
import {
  addressOf,
  codeOf,
  isReplay,
  jsonOf,
  keyHeader,
  sendAs,
  type Request,
  type Sent,
} from "./requests.js";

/** So many calls at most for one click. */
const callsMax = 24;
const remediesMax = 3;
const patienceMs = 6_000;
const pauseMs = 250;

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, pauseMs));

/** Sends once, after a refusal that was mended where it says so. */
type SendOnce = (wasRefused: boolean) => Promise<Sent>;

const stepRequest = (step: Call, own: OwnData, values: Values): Request => {
  const mine = own.own(step.example, values);
  const body = mine.body === undefined ? undefined : JSON.stringify(mine.body);
  return {
    method: step.method,
    url: addressOf(step.path, mine.path ?? {}, mine.query ?? {}),
    headers: {
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      ...(step.takesKey ? { [keyHeader]: freshKey() } : {}),
    },
    body,
  };
};

/** What was just made may take a moment to arrive: sends again while the refusal is the same. */
const patiently = async (sendOnce: SendOnce, refused: Sent): Promise<Sent> => {
  const endsAt = performance.now() + patienceMs;
  let sent: Sent;
  do {
    await pause();
    sent = await sendOnce(true);
  } while (!sent.answer.ok && codeOf(sent) === codeOf(refused) && performance.now() < endsAt);
  return sent;
};

/** The last of the things in the call's address that a call makes. */
const lastNamed = ({ path, example, needs }: Call): string | undefined =>
  [...path.matchAll(/\{(\w+)\}/g)]
    .map(([, name = ""]) => example.path?.[name])
    .findLast((value) => needs.some(({ id }) => id === value));

/** Takes over what an answer names, unless it was refused. */
export const learnFrom = (own: OwnData, call: Call, sent: Sent, values: Values): void => {
  if (!sent.answer.ok || !("json" in sent.content)) return;
  if (call.creates && !isReplay(sent)) own.forget(call.forgets);
  own.learn(call.example.answer, sent.content.json, values, call.method !== "GET");
};

interface Setting {
  readonly plan: CallPlan;
  readonly sandbox: Sandbox;
  readonly caller: Caller;
  readonly own: OwnData;
  readonly outcome: Outcome;
}

/** What one click may set in motion. */
export class Making {
  readonly #setting: Setting;
  readonly #others: ReadonlyMap<string, Call>;
  #callsLeft = callsMax;

  constructor(setting: Setting) {
    this.#setting = setting;
    this.#others = new Map(setting.plan.others.map((other) => [other.id, other]));
  }

  async makeMissing(asked: Call): Promise<void> {
    await this.#makeAll(asked, (id) => !this.#setting.own.has(id));
  }

  /** Sends until it is not refused, mending in between. */
  async perform(asked: Call, sendOnce: SendOnce): Promise<Sent> {
    const before = this.#callsLeft;
    await this.makeMissing(asked);
    let sent = await sendOnce(false);
    if (sent.answer.status === 404 && this.#callsLeft < before)
      sent = await patiently(sendOnce, sent);
    for (
      let time = 0;
      time < remediesMax && !sent.answer.ok && (await this.#mend(asked, sent));
      time += 1
    ) {
      const again = await sendOnce(true);
      const isSame = !again.answer.ok && codeOf(again) === codeOf(sent);
      sent = isSame ? await patiently(sendOnce, again) : again;
    }
    return sent;
  }

  async #makeAll(asked: Call, isWanted: (id: string) => boolean): Promise<void> {
    for (const { id, maker } of asked.needs) {
      const step = this.#others.get(maker);
      if (step !== undefined && isWanted(id)) await this.#make(step);
    }
  }

  /** Resolves to whether it could. */
  async #mend(asked: Call, refused: Sent): Promise<boolean> {
    const { plan } = this.#setting;
    const code = codeOf(refused) ?? "";
    const ids = plan.stepsBefore[asked.id]?.[code] ?? plan.remedies[code] ?? [];
    const steps = ids.flatMap((id) => this.#others.get(id) ?? []);
    if (steps.length > 0 && !steps.includes(asked)) {
      for (const step of steps) await this.#make(step);
      await this.makeMissing(asked);
      return true;
    }
    const named = lastNamed(asked);
    if (!plan.wornOut.includes(code) || named === undefined) return false;
    await this.#makeAll(asked, (id) => id === named);
    return true;
  }

  /** One of the calls that another needs, with new values; it is told above the answer. */
  async #make(step: Call): Promise<void> {
    const { caller, sandbox, own, outcome } = this.#setting;
    this.#callsLeft -= 1;
    if (this.#callsLeft < 0) throw new Error("This call needs more than the page can make for it.");
    const as = callerFor(step.role, caller, sandbox);
    let values: Values = new Map();
    const sendStep = (): Promise<Sent> => {
      values = own.draw(step);
      return sendAs(stepRequest(step, own, values), as, step, sandbox);
    };
    let sent = await this.perform(step, sendStep);
    const endsAt = performance.now() + patienceMs;
    while (
      step.method === "GET" &&
      isUnfinished(step.example.answer, jsonOf(sent)) &&
      performance.now() < endsAt
    ) {
      await pause();
      sent = await sendStep();
    }
    outcome.tellStep(sent, step.summary);
    if (!sent.answer.ok)
      throw new Error(`“${step.summary}” was refused, which this call needs first.`);
    learnFrom(own, step, sent, values);
  }
}
