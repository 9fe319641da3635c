/** Answers the durable client's calls to its own host in memory: its HTTP library asks here before it opens a socket. */
import { STATUS_CODES } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { HttpAnswer, HttpCall } from "../../durable/api/answer.js";

/** Null where only the server itself knows what to answer. */
export type Answer = (call: HttpCall) => Promise<HttpAnswer | null>;

/** What is read of a request of axios, whose body has been made a text by then. */
interface AxiosRequest {
  readonly url?: string;
  readonly method?: string;
  readonly headers?: Iterable<readonly [string, unknown]>;
  readonly data?: unknown;
  readonly params?: unknown;
  readonly signal?: unknown;
  readonly timeout?: number;
  readonly responseType?: string;
  readonly validateStatus?: ((status: number) => boolean) | null;
}

interface AxiosResponse {
  readonly data: string;
  readonly status: number;
  readonly statusText: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly config: AxiosRequest;
}

type Adapter = (config: AxiosRequest) => Promise<AxiosResponse>;

/** The setting by which axios lets others carry its requests: documented, and taken over by each new client. */
interface Axios {
  readonly defaults: { adapter: unknown };
  getAdapter(adapters: unknown): Adapter;
}

const isAxios = (found: unknown): found is Axios =>
  typeof found === "function" &&
  "getAdapter" in found &&
  typeof found.getAdapter === "function" &&
  "defaults" in found;

/** The copy that the app's durable library uses; undefined where it is bundled or not there. */
const axiosOf = (appDirectory: string): Axios | undefined => {
  try {
    const library = createRequire(join(appDirectory, "package.json")).resolve("durable-functions");
    const found: unknown = createRequire(library)("axios");
    return isAxios(found) ? found : undefined;
  } catch {
    return undefined; // Not to be resolved: such an app's calls go by the port, as everybody's do.
  }
};

const hosts = new Map<string, Answer>();
const carried = new WeakSet<Axios>();

const bodyBytesMax = 1024 * 1024;

/** Calls as the durable client makes them; whatever else axios can do goes by the port. */
const callOf = (config: AxiosRequest, url: string): HttpCall | undefined => {
  const { method = "get", headers = [], data = "", params, signal, timeout, responseType } = config;
  const isPlain = params === undefined && signal === undefined && (timeout ?? 0) === 0;
  if (!isPlain || responseType !== undefined || typeof data !== "string") return undefined;
  if (data.length > bodyBytesMax || config.validateStatus?.(599) !== true) return undefined;
  const address = new URL(url);
  const given = [...headers].map(([name, value]): [string, string] => [
    name.toLowerCase(),
    String(value),
  ]);
  return {
    method: method.toUpperCase(),
    url: address,
    headers: { host: address.host, ...Object.fromEntries(given) },
    body: Buffer.from(data),
  };
};

const lowerCase = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

const answered = (config: AxiosRequest, { status, headers, body }: HttpAnswer): AxiosResponse => ({
  data: body,
  status,
  statusText: STATUS_CODES[status] ?? "",
  headers: lowerCase(headers),
  config,
});

const inMemory = async (config: AxiosRequest): Promise<AxiosResponse | undefined> => {
  const { url = "" } = config;
  const [, origin = ""] = /^(http:\/\/[^/]+)\/durabletask\//.exec(url) ?? [];
  const answer = hosts.get(origin);
  const call = answer === undefined ? undefined : callOf(config, url);
  const found = call === undefined ? undefined : await answer?.(call);
  return found == null ? undefined : answered(config, found);
};

/** Until the returned function is called, the app's durable client reaches the host at `origin` in memory. */
export const answerInProcess = (
  appDirectory: string,
  origin: string,
  answer: Answer,
): (() => void) => {
  const axios = axiosOf(appDirectory);
  if (axios !== undefined && !carried.has(axios)) {
    carried.add(axios);
    const usual = axios.getAdapter(axios.defaults.adapter);
    const adapter: Adapter = async (config) => (await inMemory(config)) ?? usual(config);
    axios.defaults.adapter = adapter;
  }
  hosts.set(origin, answer);
  return () => void hosts.delete(origin);
};
