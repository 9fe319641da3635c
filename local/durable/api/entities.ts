/** Entities over HTTP: signal, read, list. */
import type { Pool } from "pg";
import type { Client } from "./client.js";
import { noSuchFunction } from "../turns/command-effects.js";
import type { DurableFunctions } from "../protocol/functions.js";
import { empty, json, jsonBody, refusal, type ApiCall, type HttpAnswer } from "./answer.js";
import { askedPage, cutPage, dateOf } from "./pages.js";
import type { InstanceRow } from "../storage/instance-rows.js";
import { entityInstanceId, parseEntityId } from "../protocol/protocol.js";
import { storedJson, type JsonText } from "./json-text.js";
import { preciseDate } from "./precise-date.js";

/** An entity may exist without a state; its text is empty then. */
const stateValue = (state: string | null): JsonText | null =>
  storedJson(state === "" ? null : state);

interface EntityParts {
  readonly pool: Pool;
  readonly hub: string;
  readonly functions: DurableFunctions;
  readonly client: Client;
}

export class EntityRoutes {
  readonly #parts: EntityParts;

  constructor(parts: EntityParts) {
    this.#parts = parts;
  }

  async handle(call: ApiCall): Promise<HttpAnswer | undefined> {
    const [name, key, ...rest] = call.segments;
    if (rest.length > 0) return undefined;
    if (name === undefined || key === undefined)
      return call.method === "GET" ? this.#list(call, name) : undefined;
    if (call.method === "GET") return this.#read(entityInstanceId(name, key));
    if (call.method === "POST") return this.#signal(call, name, key, call.query.get("op") ?? "");
    return call.method === "DELETE" ? this.#signal(call, name, key, "delete") : undefined;
  }

  async #signal({ body }: ApiCall, name: string, key: string, op: string): Promise<HttpAnswer> {
    const { functions, client } = this.#parts;
    if (functions.find("entity", name) === undefined)
      return refusal(400, noSuchFunction(functions, "entity", name));
    // A body that is not JSON is taken for a plain text.
    const input = body.length === 0 ? undefined : (jsonBody(body) ?? JSON.stringify(body));
    await client.signal(entityInstanceId(name, key), op, input);
    return empty(202);
  }

  async #read(id: string): Promise<HttpAnswer> {
    const state = (await this.#parts.client.find(id))?.entity_state ?? null;
    if (state === null) return empty(404);
    return json(200, stateValue(state));
  }

  async #list({ query, headers }: ApiCall, name: string | undefined): Promise<HttpAnswer> {
    const asked = askedPage(query, headers);
    if (asked === undefined) return json(200, []);
    const { rows } = await this.#parts.pool.query<InstanceRow>(
      `select * from durable.instance where hub = $1 and kind = 'entity' and id > $2
         and entity_state is not null and ($3::text is null or starts_with(id, $3))
         and updated_at >= $4 and updated_at <= $5
       order by id limit $6`,
      [
        this.#parts.hub,
        asked.after,
        name === undefined ? null : `@${name.toLowerCase()}@`,
        dateOf(query.get("lastOperationTimeFrom")) ?? "-infinity",
        dateOf(query.get("lastOperationTimeTo")) ?? "infinity",
        asked.limit + 1,
      ],
    );
    const withState = query.get("fetchState")?.toLowerCase() === "true";
    const { page, more } = cutPage(rows, asked);
    return json(
      200,
      page.map(({ id, entity_state: state, updated_at: updated }) => ({
        entityId: parseEntityId(id),
        lastOperationTime: preciseDate(updated),
        state: withState ? stateValue(state) : null,
      })),
      more,
    );
  }
}
