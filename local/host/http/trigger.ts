/** HTTP triggers: which function a request is for, and how it is called and answered. */
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { HttpRequest, HttpRequestInit } from "@azure/functions";
import type { LoadedApp } from "../app/loader.js";
import type { TraceContext } from "../app/core-types.js";
import { authLevelOf, isAllowed, type AuthLevel, type FunctionKeys } from "./function-keys.js";
import { hostOf, HostRequest, readBody, skipBody } from "./request.js";
import {
  setHeaders,
  writeBuffered,
  writeEmpty,
  writeFailure,
  writePlain,
  writeStreamed,
} from "./response.js";
import type { HostedFunction } from "../app/hosted-function.js";
import { compareNames, isHttpTrigger, methodsOf, templateOf } from "./route.js";
import type { Invoker, Outcome } from "../app/invoke.js";
import type { HostLog } from "../app/log.js";
import { errorText } from "../../failures.js";
import type { OutputSender } from "../service-bus/output-bindings.js";
import { plainResponse } from "./plain-response.js";
import { isMalformedTarget, requestPath, requestUrl } from "./request-url.js";
import { RouteTable, type RouteEntry, type RouteMatch } from "./route-table.js";

interface HttpFunction {
  readonly fn: HostedFunction;
  readonly authLevel: AuthLevel;
  /** Whether the answer is all that the function puts out. */
  readonly onlyAnswers: boolean;
}

export interface HttpTriggerOptions {
  readonly app: LoadedApp;
  readonly functions: readonly HostedFunction[];
  readonly invoker: Invoker;
  readonly log: HostLog;
  readonly keys: FunctionKeys;
  readonly routePrefix: string;
  readonly customHeaders: Readonly<Record<string, string>>;
  /** Larger bodies are refused. */
  readonly bodyBytesMax: number;
  readonly sendOutputs: OutputSender;
}

/** The genuine host keeps routes that begin with these letters for itself, also under a prefix. */
const isReserved = (template: string): boolean => /^(admin|runtime)/i.test(template);

/** Functions are tried in order of their names; nothing else decides. */
const routeEntries = (options: HttpTriggerOptions): RouteEntry<HttpFunction>[] => {
  const prefix = options.routePrefix === "" ? "" : `${options.routePrefix}/`;
  return options.functions
    .filter(isHttpTrigger)
    .sort((a, b) => compareNames(a.name, b.name))
    .flatMap((fn) => {
      const template = templateOf(fn);
      if (isReserved(template)) {
        const reason = `its route "${template}" begins with letters that belong to the host`;
        options.log.host("error", "Startup", `The function ${fn.name} is not served: ${reason}.`);
        return [];
      }
      const target = {
        fn,
        authLevel: authLevelOf(fn.trigger["authLevel"]),
        onlyAnswers: fn.outputs.every(({ binding }) => binding.type.toLowerCase() === "http"),
      };
      return [{ methods: methodsOf(fn), template: `${prefix}${template}`, target }];
    });
};

/** With streaming off, equal names melt together, ignoring case, their values joined by commas. */
const joinedQuery = (query: string): Record<string, string> => {
  const joined = new Map<string, { readonly name: string; readonly values: string[] }>();
  for (const [name, value] of new URLSearchParams(query)) {
    const known = joined.get(name.toLowerCase());
    if (known === undefined) joined.set(name.toLowerCase(), { name, values: [value] });
    else known.values.push(value);
  }
  return Object.fromEntries([...joined.values()].map(({ name, values }) => [name, values.join()]));
};

/**
 * With streaming on, `params` holds the query too, the last of equal names, ignoring case;
 * but not `code`, which carries a function key.
 */
const paramsWithQuery = (query: string, params: Record<string, string>): Record<string, string> => {
  const names = new Map<string, string>();
  const all: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(query)) {
    if (name.toLowerCase() === "code") continue;
    const key = names.get(name.toLowerCase()) ?? name;
    names.set(name.toLowerCase(), key);
    all[key] = value;
  }
  return Object.assign(all, params);
};

const traceContextOf = (req: IncomingMessage): TraceContext | undefined => {
  const { traceparent: traceParent, tracestate } = req.headers;
  if (typeof traceParent !== "string") return undefined;
  const traceState = typeof tracestate === "string" ? tracestate : "";
  return { traceParent, traceState, attributes: {} };
};

const noQuery: Readonly<Record<string, string>> = {};
const hasNoBody = (method: string | undefined): boolean => method === "GET" || method === "HEAD";

export class HttpTriggers {
  readonly #options: HttpTriggerOptions;
  readonly #routes: RouteTable<HttpFunction>;
  readonly #streaming: boolean;

  constructor(options: HttpTriggerOptions) {
    this.#options = options;
    this.#routes = new RouteTable(routeEntries(options));
    this.#streaming = options.app.streaming;
  }

  /** What no route of the app takes is left to `unmatched`. */
  handle(req: IncomingMessage, res: ServerResponse, unmatched: () => void): void {
    const target = req.url ?? "";
    const { customHeaders } = this.#options;
    if (isMalformedTarget(target)) {
      writeEmpty(res, 400, { ...customHeaders, Connection: "close" });
      return;
    }
    const mark = target.indexOf("?");
    const path = requestPath(mark < 0 ? target : target.slice(0, mark));
    const match = this.#routes.find(req.method ?? "GET", path);
    if (match === undefined) {
      unmatched();
    } else if (!isAllowed(req, match.target.authLevel, this.#options.keys)) {
      writeEmpty(res, 401, customHeaders);
    } else if (Number(req.headers["content-length"] ?? 0) > this.#options.bodyBytesMax) {
      writeEmpty(res, 500, { ...customHeaders, Connection: "close" });
    } else {
      void this.#serve(req, res, match, path, mark < 0 ? "" : target.slice(mark));
    }
  }

  async #serve(
    req: IncomingMessage,
    res: ServerResponse,
    match: RouteMatch<HttpFunction>,
    path: string,
    query: string,
  ): Promise<void> {
    const { fn, onlyAnswers } = match.target;
    const invocationId = randomUUID();
    try {
      const liveTrigger = this.#streaming
        ? this.#streamedRequest(req, match, path, query)
        : await this.#bufferedRequest(req, match, path, query);
      const traceContext = traceContextOf(req);
      const call = { invocationId, liveTrigger, traceContext };
      const outcome = await this.#options.invoker.invoke(fn, call);
      const plain = onlyAnswers ? plainResponse(outcome.result) : undefined;
      const { customHeaders } = this.#options;
      if (plain !== undefined) {
        writePlain(res, plain, this.#streaming ? invocationId : undefined, customHeaders);
        return;
      }
      setHeaders(res, customHeaders);
      if (this.#streaming) await this.#answerStreamed(res, outcome, match.target);
      else await this.#answerBuffered(res, outcome, fn);
    } catch (error) {
      const source = { functionName: fn.name, invocationId };
      this.#options.log.invocation(source, "error", "system", `Failed: ${errorText(error)}`);
      writeFailure(res, this.#streaming);
    } finally {
      skipBody(req);
    }
  }

  async #bufferedRequest(
    req: IncomingMessage,
    { params }: RouteMatch<HttpFunction>,
    path: string,
    query: string,
  ): Promise<HttpRequest> {
    // The genuine host passes on no body whose length is not announced.
    const length = Number(req.headers["content-length"] ?? 0);
    const source =
      length === 0 || hasNoBody(req.method)
        ? null
        : await readBody(req, this.#options.bodyBytesMax);
    const url = requestUrl(hostOf(req), path, query, false);
    return this.#request({
      nativeRequest: new HostRequest(req, url, source, this.#options.bodyBytesMax),
      params,
      query: query === "" ? noQuery : joinedQuery(query),
    });
  }

  #streamedRequest(
    req: IncomingMessage,
    { params }: RouteMatch<HttpFunction>,
    path: string,
    query: string,
  ): HttpRequest {
    const { bodyBytesMax } = this.#options;
    const url = requestUrl(hostOf(req), path, query, true);
    const source = hasNoBody(req.method) ? null : req;
    const nativeRequest = new HostRequest(req, url, source, bodyBytesMax);
    return query === ""
      ? this.#request({ nativeRequest, params, query: noQuery })
      : this.#request({ nativeRequest, params: paramsWithQuery(query, params) });
  }

  /** The library reads from `nativeRequest` where it is given one. */
  #request(init: HttpRequestInit & { readonly nativeRequest: HostRequest }): HttpRequest {
    return new this.#options.app.library.HttpRequest(init);
  }

  async #answerBuffered(res: ServerResponse, outcome: Outcome, fn: HostedFunction): Promise<void> {
    const response = await outcome.respond(outcome.result);
    await this.#options.sendOutputs(fn, response);
    const http = response.returnValue?.http;
    if (http === undefined) writeEmpty(res, 204);
    else writeBuffered(res, http);
  }

  async #answerStreamed(
    res: ServerResponse,
    outcome: Outcome,
    { fn, onlyAnswers }: HttpFunction,
  ): Promise<void> {
    if (!onlyAnswers) await this.#options.sendOutputs(fn, await outcome.respond(null));
    await writeStreamed(res, outcome.result, this.#options.app.library, outcome.invocationId);
  }
}
