/** The story from its beginning to its end: chapter after chapter, as each is recorded. */
import { z } from "zod";
import type { Route } from "../../../shared/contracts/route.js";
import * as story from "../../../shared/contracts/story/story.js";
import type { Database } from "../../../shared/database/platform/database.js";
import type { TestStack } from "../platform/stack.js";
import { pinCypher, pinKey, pinToken } from "./pin-texts.js";
import { clear, confirmOnPhone, pay } from "./card-payments.js";
import { endCard, issueCard } from "./cards.js";
import { storyNames, type Names } from "./names.js";
import { spendDay } from "./money.js";
import { onboard, openShop } from "./onboarding.js";
import { readReports } from "./reports.js";
import { settle } from "./settlement.js";
import { useSandbox } from "./sandbox.js";
import { keepStores } from "./stores.js";
import { lookAfter } from "./wallets.js";
import { end } from "./ending.js";
import { readEvents, readWholeLog } from "./events.js";
import { openStory, type StoryTeller } from "./teller.js";
import { askForHelp } from "./tickets.js";

type Recorded = Readonly<Record<string, unknown>>;

/** Of properties that no story can foresee. */
const always = {
  port: 5672,
  nextCursor: "AZgOAneqexCPPZobLD1OXw",
  access_token: "eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCJ9.eyJhcHBpZCI6ImFjbWUtY2xpZW50In0.c2lnbmF0dXJl",
  x: "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
  y: "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
  link: {
    linkId: 2,
    hash: "60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752",
    sealedAt: "2025-03-03T09:17:00.000Z",
  },
  hash: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  n: pinKey,
  cypher: pinCypher,
  token: pinToken,
  headHash: "60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752",
};

/** What was told, with the story's names for all that differs from run to run. */
export interface Told {
  readonly chapters: ReadonlyMap<string, Recorded>;
  /** Every event that the partner was told of, in its order, but for those that it forced. */
  readonly events: readonly { readonly type: string; readonly body: unknown }[];
  readonly comparable: Names["comparable"];
  /** Which events came of which calls, at once or by what they set going. */
  readonly causes: readonly Cause[];
}

interface Cause {
  readonly event: string;
  /** Undefined: no call, but time. */
  readonly route: Route | undefined;
}

const Written = z.object({ event: z.string(), traceParent: z.string().nullable() });

/** Each message to the partner keeps the trace of the call that it came of. */
const readCauses = async (
  database: Database,
  routeOf: StoryTeller["routeOf"],
): Promise<readonly Cause[]> => {
  const written = await database.rows(
    Written,
    `select distinct subject as event, trace_parent as "traceParent" from borsello.outbox
     where $1 = any(destinations)`,
    [story.partnerKey],
  );
  return written.map(({ event, traceParent }) => ({
    event,
    route: traceParent === null ? undefined : routeOf(traceParent),
  }));
};

/** What each chapter told, as it is recorded: what differs from run to run has the story's names. */
export const tellStory = async (stack: TestStack, database: Database): Promise<Told> => {
  const names = storyNames(
    Object.values(story).filter((value) => typeof value === "string"),
    always,
  );
  const teller = await openStory(stack, names);
  names.name(stack.url, "http://127.0.0.1:7071");
  const told = new Map<string, Recorded>();
  const chapter = async <T>(name: string, tell: () => Promise<T>): Promise<T> => {
    const result = await tell();
    told.set(name, teller.takeTold());
    return result;
  };
  const { customer, shop } = await chapter("onboarding", async () => ({
    shop: await openShop(teller),
    customer: await onboard(teller),
  }));
  const day = await chapter("money", () => spendDay(teller, customer, shop));
  await chapter("reports", () => readReports(teller, customer, shop, day));
  await chapter("settlement", () => settle(teller, customer, shop, database));
  await chapter("stores", () => keepStores(teller, shop));
  await chapter("wallets", () => lookAfter(teller, customer));
  const card = await chapter("cards", () => issueCard(teller, customer));
  await chapter("card-payments", async () => {
    await pay(teller, card);
    await confirmOnPhone(teller, card);
    await clear(teller, card);
  });
  await chapter("tickets", () => askForHelp(teller, customer));
  await chapter("end-of-card", () => endCard(teller, card));
  const neighbour = await chapter("sandbox", () => useSandbox(teller, customer));
  const forced = await chapter("events", () => readEvents(teller));
  await chapter("ending", () => end(teller, customer, neighbour));
  const events = await readWholeLog(teller);
  return {
    chapters: new Map(
      [...told].map(([name, examples]) => [
        name,
        Object.fromEntries(
          Object.entries(examples).map(([id, example]) => [id, names.told(example, name)]),
        ),
      ]),
    ),
    comparable: names.comparable,
    causes: await readCauses(database, teller.routeOf),
    events: events
      .filter(({ id }) => !forced.has(id))
      .map(({ type, body }) => ({ type, body: names.told(body, "log") })),
  };
};
