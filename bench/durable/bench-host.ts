/** The app of the durable benches on the local host, in a process of its own. */
import { resolve } from "node:path";
import { z } from "zod";
import { startProgram } from "../platform/launch.js";
import { startChild } from "../kit/child.js";
import type { SlotFigures } from "./closed-loop.js";
import { postJson } from "./post-json.js";

const Figures = z.object({
  runs: z.number(),
  perSecond: z.number(),
  p50Ms: z.number(),
  p99Ms: z.number(),
});
const Wakeups = Figures.omit({ perSecond: true });

export interface DriveRequest {
  readonly inFlight: number;
  readonly seconds: number;
  readonly runsMax?: number;
  /** What each orchestration is started with. */
  readonly input?: number;
}

export interface BenchHost {
  readonly pid: number;
  drive(flow: string, request: DriveRequest): Promise<SlotFigures>;
  wakeups(kind: "event" | "timer", count: number): Promise<z.infer<typeof Wakeups>>;
  /** Starts an orchestration and waits for nothing. */
  start(flow: string, id: string, input?: number): Promise<void>;
  raise(id: string): Promise<void>;
  /** The public management API. */
  api(method: string, path: string, query?: string): Promise<Response>;
  readonly stop: () => Promise<void>;
  readonly kill9: () => Promise<void>;
}

/** Resolves when the host listens. */
export const startBenchHost = async (
  databaseUrl: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<BenchHost> => {
  const child = startChild(
    [
      startProgram(),
      ...["--app", resolve("dist/bench/durable/app")],
      ...["--database-url", databaseUrl, "--port", "0"],
    ],
    environment,
  );
  const url = (await child.lineAfter("  API ")).trim();
  const management = (path: string, query = ""): string =>
    `${url}/runtime/webhooks/durabletask/${path}?code=local-key${query}`;
  return {
    pid: child.pid,
    drive: async (flow, request) =>
      Figures.parse(JSON.parse(await postJson(`${url}/api/drive/${flow}`, request))),
    wakeups: async (kind, count) =>
      Wakeups.parse(JSON.parse(await postJson(`${url}/api/wakeups/${kind}`, { count }))),
    start: async (flow, id, input = 0) => {
      await postJson(management(`orchestrators/${flow}/${id}`), input);
    },
    raise: async (id) => {
      await postJson(management(`instances/${id}/raiseEvent/go`), 1);
    },
    api: async (method, path, query) => fetch(management(path, query), { method }),
    stop: child.stop,
    kill9: child.kill9,
  };
};
