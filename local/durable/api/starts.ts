/** Starts orchestrations over HTTP, and answers with the links by which they are managed. */
import { managementUrls, type Addresses } from "./client-binding.js";
import { newInstanceId, type Client, type Started, type StartRequest } from "./client.js";
import type { EndWaiters, EndWatch } from "../turns/end-waiters.js";
import { empty, json, jsonBody, refusal, type ApiCall, type HttpAnswer } from "./answer.js";
import { invalidInput } from "./body-refusals.js";
import { idLengthMax, isFinal, isOrchestrationId } from "../protocol/protocol.js";
import { statusValue } from "./status-view.js";
import { storedJson } from "./json-text.js";

interface StartParts extends Addresses {
  readonly client: Client;
  readonly waiters: EndWaiters;
  /** True where a start ends whatever has its id, instead of being refused. */
  readonly replacesRunning: boolean;
}

const lookAgainMs = 1_000;

/** What has the id gets so long to end; then the id is as good as in use. */
const replaceMs = 4_000;
const replaceLookAgainMs = 100;

const positive = (text: string | null): number | undefined => {
  const value = Number(text);
  return text !== null && Number.isFinite(value) && value > 0 ? value : undefined;
};

/** W3C Trace Context, version 00. */
const traceParentPattern = /^00-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/;

const soundTraceParent = (given: string | undefined): string | undefined =>
  given !== undefined && traceParentPattern.test(given) ? given : undefined;

export class StartRoutes {
  readonly #parts: StartParts;

  constructor(parts: StartParts) {
    this.#parts = parts;
  }

  async handle({
    method,
    segments,
    body,
    query,
    headers,
  }: ApiCall): Promise<HttpAnswer | undefined> {
    const [name, givenId] = segments;
    if (method !== "POST" || name === undefined || segments.length > 2) return undefined;
    const id = givenId ?? newInstanceId();
    if (!isOrchestrationId(id))
      return refusal(400, `The instance id '${id.slice(0, idLengthMax)}' is not valid.`);
    const input = body.length === 0 ? undefined : jsonBody(body);
    if (body.length > 0 && input === undefined) return invalidInput(body);
    const version = query.get("version") ?? undefined;
    const isNewId = givenId === undefined;
    const traceParent = soundTraceParent(headers["traceparent"]);
    const request = { name, id, isNewId, input, version, traceParent };
    const timeout = positive(query.get("timeout"));
    return timeout === undefined ? this.start(request) : this.#run(request, timeout * 1_000);
  }

  async start(request: StartRequest): Promise<HttpAnswer> {
    const { client, replacesRunning } = this.#parts;
    const started = await (replacesRunning ? this.#replace(request) : client.start(request));
    return started.ok
      ? this.accepted(started.id)
      : refusal(409, `An Orchestration instance with the status ${started.status} already exists.`);
  }

  /** An open instance is terminated, so that its parent and those whose locks it holds go on. */
  async #replace(request: StartRequest): Promise<Started> {
    const { client, waiters } = this.#parts;
    const deadline = Date.now() + replaceMs;
    const watch = waiters.watch(request.id);
    const reason = "Another orchestration was started under this id.";
    try {
      for (let terminated = ""; ;) {
        const started = await client.start(request);
        if (started.ok || Date.now() >= deadline) return started;
        const row = await client.find(request.id);
        if (row === undefined || isFinal(row.status)) continue;
        // Each life once: a second word might reach the next one.
        if (row.key !== terminated) await client.send(request.id, { type: "terminate", reason });
        terminated = row.key;
        await watch.next(replaceLookAgainMs);
      }
    } finally {
      watch.stop();
    }
  }

  accepted(id: string): HttpAnswer {
    const links = managementUrls(this.#parts, id);
    return json(202, links, { Location: links.statusQueryGetUri, "Retry-After": "10" });
  }

  /** The output of the finished instance, or the links where it takes too long. */
  async #run(request: StartRequest, timeoutMs: number): Promise<HttpAnswer> {
    const deadline = Date.now() + timeoutMs;
    const watch = this.#parts.waiters.watch(request.id);
    try {
      const answer = await this.start(request);
      return answer.status === 202
        ? await this.#await(request.id, watch, deadline, answer)
        : answer;
    } finally {
      watch.stop();
    }
  }

  async #await(
    id: string,
    watch: EndWatch,
    deadline: number,
    accepted: HttpAnswer,
  ): Promise<HttpAnswer> {
    for (;;) {
      const leftMs = deadline - Date.now();
      if (leftMs <= 0) return accepted;
      const end = await watch.next(Math.min(leftMs, lookAgainMs));
      if (end?.status === "Completed") return json(200, storedJson(end.output));
      // Looking also finds an end that came about in another host.
      const answer = await this.#result(id);
      if (answer !== undefined) return answer;
    }
  }

  async #result(id: string): Promise<HttpAnswer | undefined> {
    const row = await this.#parts.client.find(id);
    if (row === undefined) return empty(404);
    if (!isFinal(row.status)) return undefined;
    if (row.status === "Completed") return json(200, storedJson(row.output));
    return json(200, statusValue(row, { showInput: true }));
  }
}
