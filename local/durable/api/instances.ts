/** Management of one instance over HTTP: look, raise, suspend, resume, terminate, rewind, purge. */
import type { Pool } from "pg";
import { newInstanceId, type Client, type SendOutcome } from "./client.js";
import {
  empty,
  json,
  jsonBody,
  refusal,
  unforeseen,
  type ApiCall,
  type HttpAnswer,
} from "./answer.js";
import type { StartRoutes } from "./starts.js";
import { invalidEvent } from "./body-refusals.js";
import { shownHistory } from "./shown-history.js";
import type { MessageBody } from "../protocol/messages.js";
import { isFinal } from "../protocol/protocol.js";
import { LostChild } from "../storage/rewind.js";
import { statusValue } from "./status-view.js";

interface InstanceParts {
  readonly pool: Pool;
  readonly hub: string;
  readonly client: Client;
}

const statusOf: Readonly<Record<SendOutcome, number>> = { sent: 202, unknown: 404, ended: 410 };

const isTrue = (text: string | null): boolean => text?.toLowerCase() === "true";

export class InstanceRoutes {
  readonly #parts: InstanceParts;
  readonly #starts: StartRoutes;

  constructor(parts: InstanceParts, starts: StartRoutes) {
    this.#parts = parts;
    this.#starts = starts;
  }

  async handle(call: ApiCall): Promise<HttpAnswer | undefined> {
    const [id = "", operation, argument, ...rest] = call.segments;
    if (rest.length > 0) return undefined;
    if (operation === undefined) return this.#whole(call, id);
    if (call.method !== "POST") return undefined;
    const reason = call.query.get("reason")?.trim();
    switch (operation.toLowerCase()) {
      case "raiseevent":
        return argument === undefined ? undefined : this.#raise(call, id, argument);
      case "terminate":
        return this.#send(id, { type: "terminate", reason });
      case "suspend":
        return this.#suspendOrResume(id, { type: "suspend", reason });
      case "resume":
        return this.#suspendOrResume(id, { type: "resume", reason });
      case "rewind":
        return this.#rewind(id, reason ?? "");
      case "restart":
        return this.#restart(id, call.query.get("restartWithNewInstanceId") !== "false");
      default:
        return undefined;
    }
  }

  async #whole(call: ApiCall, id: string): Promise<HttpAnswer | undefined> {
    if (call.method === "GET") return this.#status(call, id);
    return call.method === "DELETE" ? this.#purge(id) : undefined;
  }

  async #status({ query, url, isFromLibrary }: ApiCall, id: string): Promise<HttpAnswer> {
    const row = await this.#parts.client.find(id);
    if (row === undefined) return empty(404);
    const withResults = isTrue(query.get("showHistoryOutput"));
    const history = isTrue(query.get("showHistory"))
      ? await shownHistory(this.#parts.pool, this.#parts.hub, row, withResults)
      : undefined;
    const showInput = query.get("showInput")?.toLowerCase() !== "false";
    const histories = isFromLibrary
      ? { history, historyEvents: history }
      : { historyEvents: history };
    const body = statusValue(row, { showInput, ...histories });
    if (!isFinal(row.status)) return json(202, body, { Location: url.href, "Retry-After": "5" });
    const asError =
      row.status === "Failed" && isTrue(query.get("returnInternalServerErrorOnFailure"));
    return json(asError ? 500 : 200, body);
  }

  async #raise({ headers, body }: ApiCall, id: string, name: string): Promise<HttpAnswer> {
    const type = headers["content-type"] ?? "";
    if (!/^application\/json\b/iu.test(type))
      return refusal(400, "Only application/json request content is supported");
    const input = jsonBody(body);
    return input === undefined
      ? invalidEvent(body)
      : this.#send(id, { type: "event", name, input, at: this.#parts.client.now() });
  }

  async #send(id: string, body: MessageBody): Promise<HttpAnswer> {
    return empty(statusOf[await this.#parts.client.send(id, body)]);
  }

  async #suspendOrResume(
    id: string,
    body: Extract<MessageBody, { type: "suspend" | "resume" }>,
  ): Promise<HttpAnswer> {
    const row = await this.#parts.client.find(id);
    const isWrong =
      body.type === "suspend" ? row?.status === "Suspended" : row?.status !== "Suspended";
    if (row !== undefined && !isFinal(row.status) && isWrong)
      return refusal(500, unforeseen, {
        message: `Cannot ${body.type} the orchestration instance ${id} because instance is in the ${row.status} state.`,
        type: "System.InvalidOperationException",
      });
    return this.#send(id, body);
  }

  async #rewind(id: string, reason: string): Promise<HttpAnswer> {
    const row = await this.#parts.client.find(id);
    // The service puts a $ before the id.
    if (row === undefined) return json(404, `No orchestration with instance ID "$${id}" found.`);
    if (row.status !== "Failed")
      return json(
        412,
        `This orchestration has status ${row.status}, but only orchestrations in the "Failed" state can be rewound.`,
      );
    try {
      await this.#parts.client.rewind(id, reason);
    } catch (error) {
      if (!(error instanceof LostChild)) throw error;
      return json(
        412,
        `The orchestration ${error.message} cannot be rewound: a child ended after it had failed.`,
      );
    }
    return empty(202);
  }

  async #restart(id: string, withNewId: boolean): Promise<HttpAnswer> {
    const row = await this.#parts.client.find(id);
    if (row?.kind !== "orchestration")
      return refusal(400, "InstanceId does not match a valid orchestration instance.", {
        message: `No instance with ID '${id}' was found. (Parameter 'instanceId')`,
        type: "System.ArgumentException",
      });
    if (!withNewId && !isFinal(row.status))
      return refusal(409, "A non-terminal instance with this instance ID already exists.", {
        message: `An Orchestration instance with the status ${row.status} already exists.`,
        type: "DurableTask.Core.Exceptions.OrchestrationAlreadyExistsException",
      });
    return this.#starts.start({
      name: row.name,
      id: withNewId ? newInstanceId() : id,
      isNewId: withNewId,
      input: row.input ?? undefined,
      version: row.version ?? undefined,
    });
  }

  async #purge(id: string): Promise<HttpAnswer> {
    const row = await this.#parts.client.find(id);
    if (row === undefined) return empty(404);
    if (row.kind === "orchestration" && !isFinal(row.status))
      return json(
        412,
        `Only orchestrations in a terminal state can be purged, but the orchestration with instance ID ${id} has status ${row.status}`,
      );
    return json(200, { instancesDeleted: await this.#parts.client.purge(row) });
  }
}
