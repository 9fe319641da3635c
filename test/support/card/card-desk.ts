/** The card API of a started platform, as each partner calls it: every answer is held to the document that it serves. */
import { expect } from "vitest";
import type { Route } from "../../../shared/contracts/route.js";
import type { Database } from "../../../shared/database/platform/database.js";
import {
  addressOf,
  clientOf,
  headersOf,
  openStackDatabase,
  partnerNamed,
  send,
  type Answer,
} from "../platform/api.js";
import { readOpenApi } from "../platform/openapi-check.js";
import { startTestStack, type TestStack } from "../platform/stack.js";
import type { PathParams } from "./card-cases.js";

const callers = ["acme", "globex", "platform"] as const;
export type Caller = (typeof callers)[number];

export interface Call {
  readonly params?: PathParams;
  /** Without the question mark. */
  readonly query?: string;
  readonly body?: unknown;
  /** Acme where nobody is named. */
  readonly as?: Caller;
}

export interface CardDesk {
  readonly stack: TestStack;
  readonly database: Database;
  readonly ask: (route: Route, call?: Call) => Promise<Answer>;
  /** The same for what must succeed: its body. */
  readonly ok: (route: Route, call?: Call) => Promise<unknown>;
  readonly stop: () => Promise<void>;
}

export const openCardDesk = async (): Promise<CardDesk> => {
  // Clearings that a test has written have no flow, and nobody may start one for them.
  const environment = { "AzureWebJobs.clearingSweep.Disabled": "true" };
  const stack = await startTestStack({ environment });
  const database = openStackDatabase(stack);
  const misfits = await readOpenApi(stack, "card");
  const tokens = new Map<Caller, string>();
  for (const caller of callers) tokens.set(caller, await clientOf(stack, caller).token());

  const ask: CardDesk["ask"] = async (
    route,
    { params = {}, query = "", body, as = "acme" } = {},
  ) => {
    const answer = await send(stack, `${addressOf(route, params)}?${query}`, {
      method: route.method,
      headers: {
        ...headersOf(route, tokens.get(as) ?? ""),
        authkey: partnerNamed(as).authKey,
        "x-affiliate": as,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    expect(misfits(route, answer), route.id).toEqual([]);
    return answer;
  };

  return {
    stack,
    database,
    ask,
    ok: async (route, call) => {
      const { status, body } = await ask(route, call);
      expect([status, body], route.id).toEqual([200, body]);
      return body;
    },
    stop: async () => {
      await database.close();
      await stack.stop();
    },
  };
};
