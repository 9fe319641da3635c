/** Tells the story: moves the clock, calls routes, holds each answer to its document and keeps what is told. */
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import type { ErrorCode } from "../../../shared/contracts/errors.js";
import {
  type BinarySuccess,
  type BodyDeclaration,
  type JsonSuccess,
  type Route,
  type TextShape,
} from "../../../shared/contracts/route.js";
import { moveClockRoute } from "../../../shared/contracts/sandbox/clock.js";
import type { RouteExample } from "../../../shared/contracts/story/route-example.js";
import { client, type CallInput, type Client, type ValueOf } from "../../../shared/http/client.js";
import { addressOf, partnerNamed, send, type Answer } from "../platform/api.js";
import { readOpenApi, type Misfits } from "../platform/openapi-check.js";
import type { TestStack } from "../platform/stack.js";
import { toPlatform } from "./calendar.js";
import type { Names } from "./names.js";

export type Teller = "acme" | "platform";

/** One call, which must succeed. Days and moments of its input are the story's; ids are the platform's. */
export type Call = <
  Path extends string,
  Params extends TextShape,
  Query extends TextShape,
  Body extends BodyDeclaration,
  Ok extends JsonSuccess | BinarySuccess,
  Code extends ErrorCode,
>(
  route: Route<Path, Params, Query, Body, Ok, Code>,
  input: CallInput<Params, Query, Body>,
  as?: Teller,
) => Promise<ValueOf<Ok>>;

export interface Story {
  /** It is now this moment, "2025-03-03T09:15": at most forty seconds are told under it. */
  readonly at: (moment: string) => Promise<void>;
  /** A call that the reference shows: each route is told once. */
  readonly tell: Call;
  /** The same of a route that takes a form. */
  readonly tellForm: (
    route: Route,
    params: Readonly<Record<string, string>>,
    form: Readonly<Record<string, string>>,
  ) => Promise<void>;
  /** A call beside the story. */
  readonly call: Call;
  /** Calls beside the story until the value is as wished. */
  readonly until: <T>(call: () => Promise<T>, isWished: (value: T) => boolean) => Promise<T>;
  readonly name: Names["name"];
}

export interface StoryTeller extends Story {
  /** Whose call this traceparent was sent with. */
  readonly routeOf: (traceParent: string) => Route | undefined;
  /** What was told since this was asked last, by its route, as it is recorded. */
  readonly takeTold: () => Readonly<Record<string, RouteExample>>;
}

const newTraceParent = (): string =>
  `00-${randomBytes(16).toString("hex")}-${randomBytes(8).toString("hex")}-01`;

const pauseMs = 10;
/** Ends what never comes: a minute is not told longer. */
const patienceMs = 35_000;
/**
 * Each moment begins so many seconds after its minute: a deadline that is put off by the time between two moments
 * is some seconds early or late, and still within its minute.
 */
const secondsIn = 20;

const documentedApis = ["wallet", "card", "ticketing"] as const;

/**
 * Keeps each answer as it came, before the client reads it; what is sent has the platform's days, and is a trace
 * of its own.
 */
const clientsOf = (
  stack: TestStack,
  keep: (answer: Answer) => void,
  nextTrace: () => string,
): ((teller: Teller) => Client) => {
  const forward: typeof fetch = async (address, init) => {
    const body = init?.body;
    const headers = new Headers(init?.headers);
    headers.set("traceparent", nextTrace());
    const sent = typeof body === "string" ? { ...init, body: toPlatform(body) } : init;
    const answer = await fetch(toPlatform(new Request(address).url), { ...sent, headers });
    const text = await answer.clone().text();
    const isJson = answer.headers.get("content-type")?.startsWith("application/json") === true;
    keep({
      status: answer.status,
      headers: answer.headers,
      body: isJson ? JSON.parse(text) : text,
    });
    return answer;
  };
  const clients = {
    acme: client(stack.url, partnerNamed("acme"), forward),
    platform: client(stack.url, partnerNamed("platform"), forward),
  };
  return (teller) => clients[teller];
};

/** What every input is, whatever its route. */
interface Input {
  readonly params?: Readonly<Record<string, string>> | undefined;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

const texts = (query: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]));

/** The story's files are of text, and stand in it as that. */
const shownBody = (body: unknown): unknown =>
  body instanceof Uint8Array ? new TextDecoder("utf-8", { fatal: true }).decode(body) : body;

/** As the reference shows it. */
const shown = (
  { ok }: Pick<Route, "ok">,
  { params, query, body }: Input,
  answer: Answer,
): RouteExample => ({
  ...(params === undefined ? {} : { path: params }),
  ...(query === undefined ? {} : { query: texts(query) }),
  ...(body === undefined ? {} : { body: shownBody(body) }),
  ...("schema" in ok ? { answer: answer.body } : {}),
});

export const openStory = async (stack: TestStack, names: Names): Promise<StoryTeller> => {
  let last: Answer = { status: 0, headers: new Headers(), body: undefined };
  let traceParent = "";
  const routes = new Map<string, Route>();
  const clientOf = clientsOf(
    stack,
    (answer) => (last = answer),
    () => (traceParent = newTraceParent()),
  );
  const documents = new Map<string, Misfits>(
    await Promise.all(
      documentedApis.map(async (api) => [api, await readOpenApi(stack, api)] as const),
    ),
  );
  const ever = new Set<string>();
  let told: [string, RouteExample][] = [];

  const misfits: Misfits = (route, answer) => documents.get(route.api)?.(route, answer) ?? [];

  const call: Call = async (route, input, as = "acme") => {
    const result = await clientOf(as).call(route, input);
    routes.set(traceParent, route);
    if (!result.ok)
      throw new Error(`${route.id}: ${result.status} ${JSON.stringify(result.error)}`);
    expect(misfits(route, last), route.id).toEqual([]);
    return result.value;
  };

  const keep = (route: Route, input: Input, answer: Answer): void => {
    if (ever.has(route.id)) throw new Error(`${route.id} is told twice`);
    ever.add(route.id);
    told.push([route.id, shown(route, input, answer)]);
  };

  return {
    at: async (moment) => {
      await call(moveClockRoute, { body: { now: `${moment}:${secondsIn}.000Z` } });
    },
    call,
    tell: async (route, input, as) => {
      const value = await call(route, input, as);
      keep(route, input, last);
      return value;
    },
    tellForm: async (route, params, form) => {
      const body = new URLSearchParams(form);
      const answer = await send(stack, addressOf(route, params), { method: route.method, body });
      expect([answer.status, misfits(route, answer)], route.id).toEqual([200, []]);
      keep(route, { params, body: form }, answer);
    },
    until: async (ask, isWished) => {
      const endMs = performance.now() + patienceMs;
      for (;;) {
        const value = await ask();
        if (isWished(value)) return value;
        if (performance.now() > endMs) throw new Error(`stands still: ${JSON.stringify(value)}`);
        await sleep(pauseMs);
      }
    },
    name: names.name,
    routeOf: (trace) => routes.get(trace),
    takeTold: () => {
      const taken = told;
      told = [];
      return Object.fromEntries(taken);
    },
  };
};
