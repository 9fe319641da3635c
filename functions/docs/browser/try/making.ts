/** Makes first what a call needs, and mends what a refusal complains of, so that a prefilled call goes through. */
import type { Call, CallPlan, Sandbox, Step } from "../../reference/call-plan.js";
import { callerFor, lackOf, type Caller } from "./caller.js";
import { freshKey } from "./fresh.js";
import type { Outcome } from "./outcome.js";
import { isUnfinished, shows, type OwnData, type Values } from "./own-data.js";
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
import { seal, type PublicKey } from "./seal.js";

/** So many calls at most for one click. */
const callsMax = 40;
const remediesMax = 3;
const findingsMax = 3;
const patienceMs = 6_000;
const pauseMs = 250;

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, pauseMs));

/** Sends once, after a refusal that was mended where it says so. */
type SendOnce = (wasRefused: boolean) => Promise<Sent>;

/** Bytes stand in the story as their text. */
const writtenBody = (body: unknown): string | undefined =>
  body === undefined || typeof body === "string" ? body : JSON.stringify(body);

const stepRequest = (step: Call, own: OwnData, values: Values): Request => {
  const mine = own.own(step.example, values);
  const body = writtenBody(mine.body);
  return {
    method: step.method,
    url: addressOf(step.path, mine.path ?? {}, mine.query ?? {}),
    headers: {
      ...(body === undefined ? {} : { "Content-Type": step.mediaType }),
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

/** What the call is about: the last of the things in its address that a call makes, or those in its body. */
const thingsOf = ({ path, example, needs }: Call): readonly string[] => {
  const isMade = (value: unknown): boolean => needs.some(({ id }) => id === value);
  const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => example.path?.[name]);
  const last = named.findLast(isMade);
  return last === undefined ? needs.map(({ id }) => id) : [last];
};

const saying = (call: Call, { saying: particulars }: Step): Call =>
  particulars === undefined
    ? call
    : {
        ...call,
        example: { ...call.example, body: { ...Object(call.example.body), ...particulars } },
      };

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
    if (this.#callsLeft < before && this.#isOnItsWay(asked, sent))
      sent = await patiently(sendOnce, sent);
    const tried = new Set<string>();
    for (
      let time = 0;
      time < remediesMax && !sent.answer.ok && (await this.#mend(asked, sent, tried));
      time += 1
    ) {
      const again = await sendOnce(true);
      const isSame = !again.answer.ok && codeOf(again) === codeOf(sent);
      const isWaitedFor = isSame || this.#isOnItsWay(asked, again);
      sent = isWaitedFor ? await patiently(sendOnce, again) : again;
    }
    return sent;
  }

  async #makeAll(asked: Call, isWanted: (id: string) => boolean): Promise<void> {
    for (const { id, maker } of asked.needs) if (isWanted(id)) await this.#make({ call: maker });
  }

  #stepsFor({ id }: Call, code: string): readonly Step[] {
    const { stepsBefore, remedies } = this.#setting.plan;
    const steps = stepsBefore[id]?.[code] ?? remedies[code] ?? [];
    return steps.some(({ call }) => call === id) ? [] : steps;
  }

  /** Whether the refused call may go through by itself, as soon as what was made has arrived. */
  #isOnItsWay(asked: Call, sent: Sent): boolean {
    if (sent.answer.ok || this.#stepsFor(asked, codeOf(sent)).length > 0) return false;
    return sent.answer.status === 404 || this.#setting.plan.wornOut.includes(codeOf(sent));
  }

  /**
   * Resolves to whether it could. Steps that were tried in vain tell that the thing is over, as a confirmed
   * operation may be confirmed again and stays what it is: then another one is made, which needs the steps anew.
   */
  async #mend(asked: Call, refused: Sent, tried: Set<string>): Promise<boolean> {
    const { plan, own } = this.#setting;
    const code = codeOf(refused);
    if (plan.overtaken.includes(code)) return own.putOff(asked, jsonOf(refused));
    const things = thingsOf(asked);
    const isWornOut = plan.wornOut.includes(code) && things.length > 0;
    const steps = this.#stepsFor(asked, code);
    if (steps.length > 0 && !(isWornOut && tried.has(code))) {
      tried.add(code);
      for (const step of steps) await this.#make(step);
      await this.makeMissing(asked);
      return true;
    }
    if (!isWornOut) return false;
    tried.delete(code);
    own.forget(things);
    await this.#makeAll(asked, (id) => things.includes(id));
    return true;
  }

  /** One of the calls that another needs, with new values; it is told above the answer. */
  async #make(step: Step): Promise<void> {
    const call = this.#others.get(step.call);
    if (call === undefined) return;
    if (call.finds === null) await this.#call(saying(call, step), () => true);
    else await this.#find(call, call.finds);
  }

  /** What came about by other calls is read where it is listed, as soon as it is. */
  async #find(list: Call, { id, after }: NonNullable<Call["finds"]>): Promise<void> {
    for (let time = 0; time < findingsMax; time += 1) {
      for (const step of after) await this.#make(step);
      this.#setting.own.forget([id]);
      await this.#call(list, (answer) => shows(list.example.answer, answer, id));
      if (this.#setting.own.has(id)) return;
    }
    throw new Error(`“${list.summary}” shows none yet, and this call needs one.`);
  }

  async #call(call: Call, isWanted: (answer: unknown) => boolean): Promise<void> {
    const { caller, sandbox, own, outcome } = this.#setting;
    this.#callsLeft -= 1;
    if (this.#callsLeft < 0) throw new Error("This call needs more than the page can make for it.");
    const as = callerFor(call.role, caller, sandbox);
    const lack = lackOf(as, call.role, sandbox);
    if (lack !== undefined) throw new Error(`“${call.summary}” comes first, and ${lack}`);
    let values: Values = new Map();
    const sendCall = (): Promise<Sent> => {
      values = own.draw(call);
      return sendAs(stepRequest(call, own, values), as, call, sandbox);
    };
    let sent = await this.perform(call, sendCall);
    const endsAt = performance.now() + patienceMs;
    const isLacking = (answer: unknown): boolean =>
      isUnfinished(call.example.answer, answer) || !isWanted(answer);
    while (
      call.method === "GET" &&
      sent.answer.ok &&
      isLacking(jsonOf(sent)) &&
      performance.now() < endsAt
    ) {
      await pause();
      sent = await sendCall();
    }
    outcome.tellStep(sent, call.summary);
    if (!sent.answer.ok)
      throw new Error(`“${call.summary}” was refused, which this call needs first.`);
    learnFrom(own, call, sent, values);
    await this.#sealWith(call, jsonOf(sent));
  }

  /** Texts are sealed with the key that the call has answered. */
  async #sealWith({ id }: Call, answer: unknown): Promise<void> {
    const { plan, own } = this.#setting;
    for (const { sealed } of [plan.call, ...plan.others])
      if (sealed?.key === id)
        own.replace(sealed.storys, await seal(sealed.text, answer as PublicKey));
  }
}
