/** One affiliate's own endpoint: asked twice at most, in bounded time, and heard out where it is late. */
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import type {
  Affiliate,
  Asked,
  LateAnswer,
  O2iMessage,
} from "../contracts/authorisations/affiliate.js";
import type { O2iAnswer, O2iKind } from "../contracts/authorisations/o2i.js";
import { isApproval } from "../domain/authorisations/approval.js";
import type { Logger } from "../platform/logger.js";
import type { NoteFailure } from "../platform/outage.js";
import { authorizationOf } from "./authorization.js";
import { breaker } from "./breaker.js";
import { openConnections } from "./connections.js";
import type { Exchange } from "./http-exchange.js";
import { AddressRefusedError } from "./own-network.js";
import { readAnswer } from "./read-answer.js";

export interface HttpAffiliateMeans<Message extends O2iMessage = O2iMessage> {
  readonly isProduction: boolean;
  readonly secrets: ReadonlyMap<string, string>;
  readonly logger: Logger;
  readonly note: NoteFailure;
  readonly onLate: (late: LateAnswer<Message>) => Promise<void>;
  readonly times?: AskTimes;
}

export interface HttpAffiliate<Message extends O2iMessage = O2iMessage> {
  readonly ask: (kind: O2iKind, request: Message) => Promise<Asked>;
  /** Hears nobody out any more. */
  readonly close: () => void;
}

/** In milliseconds. */
export interface AskTimes {
  readonly attemptMs: number;
  /** So long after its time an answer is still listened for. */
  readonly lateMs: number;
}

const timesByDefault: AskTimes = { attemptMs: 2_000, lateMs: 28_000 };
const attemptsMax = 2;
/** For whoever asked to have kept how it ended, so that a late answer finds that. */
const keepMs = 250;
const lateMax = 64;
/** So many requests wait for it at once; one more is not made. */
const underWayMax = 256;

interface Ask<Message> {
  readonly kind: O2iKind;
  readonly request: Message;
  readonly body: string;
  /** How it ended, once it has. */
  readonly ended: () => Promise<Asked>;
}

type Tried =
  | { readonly answer: O2iAnswer }
  | { readonly reason: string; readonly inDoubt: boolean; readonly wasHeard: boolean };

const unreached = (reason: string, inDoubt = false): Asked => ({ reached: false, reason, inDoubt });

/** Undefined once the time has passed. */
const before = async <Value>(untilMs: number, work: Promise<Value>): Promise<Value | undefined> => {
  let timer: NodeJS.Timeout | undefined;
  const passed = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => {
      resolve(undefined);
    }, untilMs - performance.now());
  });
  try {
    return await Promise.race([work, passed]);
  } finally {
    clearTimeout(timer);
  }
};

const wordsOf = (error: unknown): string => {
  if (error instanceof AddressRefusedError) return "its address may not be called";
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? `it was not reached (${code})` : "it was not reached";
};

/** Of such a status the affiliate says itself that it has not taken the request. */
const isRefusal = (status: number): boolean => status >= 400 && status < 500;

export const httpAffiliate = <Message extends O2iMessage>(
  affiliate: Affiliate,
  means: HttpAffiliateMeans<Message>,
): HttpAffiliate<Message> => {
  const { isProduction, logger, note, onLate, times = timesByDefault } = means;
  const { partnerKey, endpoint, auth } = affiliate;
  const nowMs = () => performance.now();
  const url = new URL(endpoint ?? "");
  const connections = openConnections(isProduction, underWayMax + lateMax);
  const authorization = authorizationOf(auth, { ...means, connections, nowMs });
  const late = new Set<Exchange>();
  let underWay = 0;

  const health = breaker({
    nowMs,
    onOpen: (reason) => {
      logger.warn("An affiliate does not answer: it is asked only now and then.", {
        ...{ affiliate: partnerKey, reason },
      });
    },
    onClose: () => {
      logger.info("An affiliate answers again.", { affiliate: partnerKey });
    },
  });

  const hearOut = async (
    { kind, request, ended }: Ask<Message>,
    exchange: Exchange,
  ): Promise<void> => {
    if (late.size >= lateMax) {
      exchange.abort();
      return;
    }
    late.add(exchange);
    const timer = setTimeout(exchange.abort, times.lateMs).unref();
    try {
      // Without a whole answer nothing is known: what is in doubt was said to be so already.
      const came = await exchange.answer.catch(() => undefined);
      const answer = came && readAnswer(came, request.transactionId);
      if (answer === undefined || typeof answer === "string") return;
      const asked = await ended();
      if (asked.reached && isApproval(asked.answer)) return;
      await sleep(keepMs);
      await onLate({ partnerKey, kind, request, answer });
    } finally {
      clearTimeout(timer);
      late.delete(exchange);
    }
  };

  const attempt = async (ask: Ask<Message>, isFresh: boolean): Promise<Tried> => {
    const untilMs = nowMs() + times.attemptMs;
    let exchange: Exchange | undefined;
    try {
      const proof = await before(untilMs, authorization.headers());
      if (proof === undefined)
        return { reason: "no token came in time", inDoubt: false, wasHeard: false };
      const headers = {
        ...{ "Content-Type": "application/json", "X-O2I-Operation": ask.kind },
        ...proof,
      };
      exchange = connections.post({ url, headers, body: ask.body, isFresh });
      const came = await before(untilMs, exchange.answer);
      if (came === undefined) {
        const inDoubt = exchange.wasSent();
        if (inDoubt)
          hearOut(ask, exchange).catch((error: unknown) => {
            note("keeping an affiliate's late answer", error);
          });
        else exchange.abort();
        return { reason: "it did not answer in time", inDoubt, wasHeard: false };
      }
      if (came.status === 401) authorization.refused();
      const answer = readAnswer(came, ask.request.transactionId);
      if (typeof answer !== "string") return { answer };
      return { reason: answer, inDoubt: !isRefusal(came.status), wasHeard: true };
    } catch (error) {
      logger.debug("An affiliate was not reached.", { affiliate: partnerKey, error });
      return { reason: wordsOf(error), inDoubt: exchange?.wasSent() ?? false, wasHeard: false };
    }
  };

  const askWithin = async (ask: Ask<Message>): Promise<Asked> => {
    if (underWay >= underWayMax) return unreached("too many requests wait for it");
    const admission = health.admit();
    if (admission === undefined) return unreached("it has not answered lately");
    underWay += 1;
    let [reason, inDoubt, wasHeard] = ["", false, false];
    for (let made = 0; made < (admission.isProbe ? 1 : attemptsMax); made += 1) {
      const tried = await attempt(ask, made > 0);
      if ("answer" in tried) {
        underWay -= 1;
        admission.heard();
        return { reached: true, answer: tried.answer };
      }
      reason = tried.reason;
      inDoubt ||= tried.inDoubt;
      wasHeard ||= tried.wasHeard;
    }
    underWay -= 1;
    if (wasHeard) admission.heard();
    else admission.silent(reason);
    return unreached(reason, inDoubt);
  };

  return {
    ask: (kind, request) => {
      const body = JSON.stringify(request);
      const asked: Promise<Asked> = askWithin({ kind, request, body, ended: () => asked });
      return asked;
    },
    close: () => {
      for (const exchange of late) exchange.abort();
      connections.close();
    },
  };
};
