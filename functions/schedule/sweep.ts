/** What all sweeps over rows have in common: page after page, from where the last one stopped, past what is bad. */
import { app as host, type Timer } from "@azure/functions";
import { app, type DurableClient } from "durable-functions";
import {
  endTurn,
  forgetSetAside,
  keepPlace,
  setAside,
  sweepState,
} from "../../shared/database/platform/sweeps.js";
import { startOnce, type FlowClient, type FlowStart } from "../../shared/durable/flow-client.js";
import { redact } from "../../shared/platform/logger.js";
import type { Services } from "../kit/services.js";

/** What should have a flow: started where it has none. */
export interface FlowSweep<Item> {
  /** The timer's name, and the place's. */
  readonly name: string;
  /** The items after a place, in order; of at most so many places. */
  readonly page: (after: string | null, placesMax: number) => Promise<readonly Item[]>;
  readonly placeOf: (item: Item) => string;
  /** Undefined: there is nothing to start. */
  readonly startOf: (item: Item) => FlowStart | undefined;
  /** For one whose flow is there. */
  readonly wake?: (client: FlowClient, item: Item) => Promise<unknown>;
}

export interface SweepLimits {
  readonly placesPerPage: number;
  /** No further page is begun after so long: the timer comes again. */
  readonly boundMs: number;
}

type Means = Pick<Services, "database" | "logger">;

const defaults: SweepLimits = { placesPerPage: 500, boundMs: 120_000 };
const atOnce = 8;
/** So many failures in one run: it is hardly the items. The next run goes on after them all the same. */
const failuresMax = 50;

const wordsOf = (error: unknown): string =>
  redact(error instanceof Error ? error.message : String(error));

/** Resolves to the instances that were started. */
export const sweepFlowsOf = async <Item>(
  { database, logger }: Means,
  client: FlowClient,
  { name, page, placeOf, startOf, wake }: FlowSweep<Item>,
  { placesPerPage, boundMs }: SweepLimits = defaults,
  isStopped: () => boolean = () => false,
): Promise<readonly string[]> => {
  const endsAt = performance.now() + boundMs;
  const state = await sweepState(database, name);
  const aside = new Set(state.setAside);
  const started: string[] = [];
  let failures = 0;

  const treat = async (item: Item): Promise<void> => {
    const start = startOf(item);
    if (start === undefined) return;
    const { instanceId } = start;
    try {
      if (await startOnce(client, start)) started.push(instanceId);
      else await wake?.(client, item);
      if (aside.has(instanceId)) await forgetSetAside(database, name, instanceId);
    } catch (error) {
      failures += 1;
      await setAside(database, name, instanceId, wordsOf(error));
      logger.error("A flow that should run could not be started: it was set aside.", {
        ...{ sweep: name, instanceId, error },
      });
    }
  };

  const mayGoOn = (): boolean =>
    failures < failuresMax && performance.now() < endsAt && !isStopped();

  for (let after = state.place; mayGoOn();) {
    const items = await page(after, placesPerPage);
    let done = 0;
    while (done < items.length && mayGoOn()) {
      await Promise.all(items.slice(done, done + atOnce).map(treat));
      done += atOnce;
    }
    const isWhole = new Set(items.map(placeOf)).size < placesPerPage;
    if (isWhole && done >= items.length) {
      await endTurn(database, name);
      return started;
    }
    // What shares a place with an item that was not come to is looked at once more.
    const next = items[done];
    const passed = items
      .slice(0, done)
      .map(placeOf)
      .filter((place) => next === undefined || place !== placeOf(next));
    after = passed.at(-1) ?? after;
    if (after !== null) await keepPlace(database, name, after);
  }
  return started;
};

/** So many failures in one run: it is hardly the items, and each of them may have been waited for. */
const treatFailuresMax = 10;

/**
 * Treats one after the other, past those that fail; throws the first error once the others are done. Whoever
 * reads the next page must put those that failed behind the others.
 */
export const treatEach = async <Item>(
  items: readonly Item[],
  treat: (item: Item) => Promise<void>,
): Promise<void> => {
  const errors: unknown[] = [];
  for (const item of items) {
    if (errors.length >= treatFailuresMax) break;
    try {
      await treat(item);
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
};

export interface SweepTimer<Item> {
  readonly schedule: string;
  readonly sweep: FlowSweep<Item>;
  /** What the timer does before. */
  readonly before?: (client: FlowClient) => Promise<void>;
}

export const registerSweep = <Item>(
  services: Services,
  { schedule, sweep, before }: SweepTimer<Item>,
): void => {
  let isStopped = false;
  app.client.timer(sweep.name, {
    schedule,
    handler: async (_timer: Timer, client: DurableClient) => {
      await before?.(client);
      const started = await sweepFlowsOf(services, client, sweep, defaults, () => isStopped);
      if (started.length > 0)
        services.logger.warn("Flows were started anew.", {
          ...{ sweep: sweep.name, flows: started.length, first: started.slice(0, 20) },
        });
    },
  });
  host.hook.appTerminate(() => {
    isStopped = true;
  });
};
