/** HTTP load on loopback: bounded in connections and time, one figure set per slot. */
import autocannon from "autocannon";

export interface LoadRequest {
  readonly url: string;
  readonly connections: number;
  readonly seconds: number;
  readonly method?: "GET" | "POST" | "PUT";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Called for each request's body where every request needs its own. */
  readonly nextBody?: () => string;
}

export interface LoadFigures {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly byStatus: Readonly<Record<string, number>>;
}

export const load = async (request: LoadRequest): Promise<LoadFigures> => {
  const { url, connections, seconds, method = "GET", headers = {}, body, nextBody } = request;
  const common = { url, connections, duration: seconds, method, headers: { ...headers } };
  const result = await autocannon(
    nextBody === undefined
      ? { ...common, ...(body === undefined ? {} : { body }) }
      : {
          ...common,
          requests: [
            { method, setupRequest: (next: autocannon.Request) => ({ ...next, body: nextBody() }) },
          ],
        },
  );
  const byStatus = Object.fromEntries(
    Object.entries(result.statusCodeStats ?? {}).map(([status, { count }]) => [status, count ?? 0]),
  );
  return {
    perSecond: result.requests.average,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    byStatus,
  };
};

export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
};

/** The value that so large a share (0 to 1) of the values does not exceed. */
export const percentile = (values: readonly number[], share: number): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
};
