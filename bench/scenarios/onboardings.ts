/** Onboardings completed per second: four flows, a bank and twenty-odd HTTP calls each. */
import { join } from "node:path";
import { customer } from "../platform/customers.js";
import { median } from "../kit/load.js";
import { onboard, sender } from "../platform/onboarding.js";
import { startPlatform, withTemporaryFolder } from "../platform/process.js";
import type { Row, Scenario } from "../kit/scenario.js";
import { acme, headersFor } from "../platform/session.js";

const depths = [1, 16, 64];
const perDepth = (depth: number): number => (depth === 1 ? 20 : depth * 4);

export const onboardings: Scenario = {
  name: "onboardings",
  title: "Onboardings completed",
  method:
    "From POST /wallet/wallets to Completed in GET …/onboarding, through the HTTP API, with the sandbox bank " +
    "answering over the broker and the partner asking after 10 ms at first and then ever less often, 250 ms at most; so many customers at once as the row says.",
  run: async (say) =>
    withTemporaryFolder(async (folder) => {
      const platform = await startPlatform(join(folder, "data"));
      try {
        const send = sender(platform.url, await headersFor(platform.url, acme));
        const quiet = (): undefined => undefined;
        let index = 0;
        for (let n = 0; n < 5; n += 1) await onboard(send, customer((index += 1)), quiet);
        const rows: Row[] = [];
        for (const depth of depths) {
          const seconds: number[] = [];
          const total = perDepth(depth);
          let started = 0;
          const worker = async (): Promise<void> => {
            while (started < total) {
              started += 1;
              const began = performance.now();
              await onboard(send, customer((index += 1)), quiet);
              seconds.push((performance.now() - began) / 1000);
            }
          };
          const began = performance.now();
          await Promise.all(Array.from({ length: depth }, worker));
          const rate = total / ((performance.now() - began) / 1000);
          const row = {
            what: `${depth} at once`,
            figure: `${rate.toFixed(1)} onboardings/s`,
            beside: `p50 ${(median(seconds) * 1000).toFixed(0)} ms each, slowest ${(Math.max(...seconds) * 1000).toFixed(0)} ms`,
          };
          say(`${row.what}: ${row.figure}, ${row.beside}`);
          rows.push(row);
        }
        return rows;
      } finally {
        await platform.stop();
      }
    }),
};
