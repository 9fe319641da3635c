/** Wallets created per second through HTTP. */
import { join } from "node:path";
import { customer } from "../platform/customers.js";
import { load, median, type LoadFigures } from "../kit/load.js";
import { startPlatform, withTemporaryFolder } from "../platform/process.js";
import type { Scenario } from "../kit/scenario.js";
import { acme, headersFor } from "../platform/session.js";

const slots = 5;
const slotSeconds = 4;
const connections = 32;

export const wallets: Scenario = {
  name: "wallets",
  title: "Wallets created",
  method:
    `POST /wallet/wallets with ${connections} connections, ${slots} slots of ${slotSeconds} s after a warm-up; each wallet is ` +
    "another customer, its WalletCreated event is relayed and its onboarding flow started meanwhile. " +
    "Load generator, platform and PostgreSQL share the machine.",
  run: async (say) =>
    withTemporaryFolder(async (folder) => {
      const platform = await startPlatform(join(folder, "data"));
      try {
        const headers = await headersFor(platform.url, acme);
        let index = 0;
        const nextBody = (): string => JSON.stringify(customer((index += 1)).owner);
        const slot = async (): Promise<LoadFigures> =>
          load({
            url: `${platform.url}/wallet/wallets`,
            method: "POST",
            headers,
            connections,
            seconds: slotSeconds,
            nextBody,
          });
        await slot();
        const figures: LoadFigures[] = [];
        for (let n = 0; n < slots; n += 1) {
          const one = await slot();
          say(
            `${one.perSecond.toFixed(0)}/s, p50 ${one.p50Ms} ms, p99 ${one.p99Ms} ms, ${JSON.stringify(one.byStatus)}`,
          );
          if (Object.keys(one.byStatus).join() !== "200")
            throw new Error("not every answer was 200");
          figures.push(one);
        }
        const of = (read: (one: LoadFigures) => number): string =>
          median(figures.map(read)).toFixed(0);
        return [
          {
            what: "wallets created per second",
            figure: of(({ perSecond }) => perSecond),
            beside: `p50 ${of(({ p50Ms }) => p50Ms)} ms, p99 ${of(({ p99Ms }) => p99Ms)} ms`,
          },
        ];
      } finally {
        await platform.stop();
      }
    }),
};
