/** Routes the durable HTTP API: the public one behind its key, and the client library's own. */
import { timingSafeEqual } from "node:crypto";
import type { Pool } from "pg";
import { publicPath, type Addresses } from "./client-binding.js";
import type { Client } from "./client.js";
import type { EndWaiters } from "../turns/end-waiters.js";
import type { DurableFunctions } from "../protocol/functions.js";
import {
  empty,
  refusal,
  unforeseen,
  type ApiCall,
  type HttpAnswer,
  type HttpCall,
} from "./answer.js";
import type { Registry } from "../hosts/registry.js";
import type { SetAside } from "../storage/set-aside.js";
import { SetAsideRoutes } from "./set-aside.js";
import { EntityRoutes } from "./entities.js";
import { InstanceRoutes } from "./instances.js";
import { ListRoutes } from "./lists.js";
import { StartRoutes } from "./starts.js";
import { isOutage } from "../../../shared/platform/outage.js";
import { callTimeoutMs, withTimeout } from "../storage/time-limit.js";
import { errorMessage } from "../protocol/protocol.js";

export interface HttpApiOptions extends Addresses {
  readonly pool: Pool;
  readonly functions: DurableFunctions;
  readonly client: Client;
  readonly setAside: SetAside;
  readonly registry: Registry;
  readonly waiters: EndWaiters;
  readonly rpcPath: string;
  readonly replacesRunning: boolean;
}

const sameText = (a: string, b: string): boolean => {
  const [first, second] = [Buffer.from(a), Buffer.from(b)];
  return first.length === second.length && timingSafeEqual(first, second);
};

/** Undefined where a segment cannot be decoded, or hides a slash: no id may hold one. */
const decoded = (path: string): string[] | undefined => {
  try {
    const segments = path.split("/").map(decodeURIComponent);
    return segments.some((segment) => /[/\\\0]/u.test(segment)) ? undefined : segments;
  } catch {
    return undefined;
  }
};

/** Timers cannot be set further away, by some days. */
const waitMaxMs = 2_000_000_000;

/** A start may ask to wait for its end; only what goes beyond counts as the database's delay. */
const waitMs = (query: URLSearchParams): number => {
  const seconds = Number(query.get("timeout") ?? 0);
  return seconds > 0 ? Math.min(seconds * 1_000, waitMaxMs) : 0;
};

export class HttpApi {
  readonly #options: HttpApiOptions;
  readonly #instances: InstanceRoutes;
  readonly #starts: StartRoutes;
  readonly #lists: ListRoutes;
  readonly #entities: EntityRoutes;
  readonly #setAside: SetAsideRoutes;

  constructor(options: HttpApiOptions) {
    this.#options = options;
    this.#starts = new StartRoutes(options);
    this.#instances = new InstanceRoutes(options, this.#starts);
    this.#lists = new ListRoutes(options);
    this.#entities = new EntityRoutes(options);
    this.#setAside = new SetAsideRoutes(options);
  }

  async handle(call: HttpCall): Promise<HttpAnswer | null> {
    const { url, headers } = call;
    const { rpcPath } = this.#options;
    const { pathname } = url;
    if (pathname.startsWith(rpcPath)) return this.#answer(call, pathname.slice(rpcPath.length));
    if (!pathname.toLowerCase().startsWith(`${publicPath}/`)) return null;
    const given = url.searchParams.get("code") ?? headers["x-functions-key"];
    if (given === undefined || !sameText(given, this.#options.key))
      return empty(401, { "WWW-Authenticate": "Bearer" });
    return this.#answer(call, pathname.slice(publicPath.length + 1));
  }

  async #answer({ method, url, headers, body }: HttpCall, path: string): Promise<HttpAnswer> {
    const segments = decoded(path.replace(/\/$/u, ""));
    if (segments === undefined) return empty(404);
    const query = url.searchParams;
    const hub = query.get("taskHub");
    if (hub !== null && hub.toLowerCase() !== this.#options.hub.toLowerCase()) return empty(404);
    const [area = "", ...rest] = segments;
    const inner: ApiCall = {
      method,
      url,
      headers,
      isFromLibrary: url.pathname.startsWith(this.#options.rpcPath),
      query,
      segments: rest,
      body: body.toString("utf8"),
    };
    try {
      const answered = this.#route(area.toLowerCase(), inner);
      // However long it takes to remove a million: each of its steps has a limit of its own.
      const isPurge = method === "DELETE" && rest.length === 0;
      const answer = isPurge ? answered : withTimeout(callTimeoutMs + waitMs(query), answered);
      return (await answer) ?? empty(404);
    } catch (error) {
      if (isOutage(error)) return empty(503, { "Retry-After": "2" });
      return refusal(500, unforeseen, {
        message: errorMessage(error),
        type: error instanceof Error ? error.name : "Error",
      });
    }
  }

  async #route(area: string, call: ApiCall): Promise<HttpAnswer | undefined> {
    switch (area) {
      case "orchestrators":
        return this.#starts.handle(call);
      case "instances":
        return call.segments.length === 0 ? this.#lists.handle(call) : this.#instances.handle(call);
      case "entities":
        return this.#entities.handle(call);
      case "setaside":
        return this.#setAside.handle(call);
      default:
        return undefined;
    }
  }
}
