/** Lists instances, and purges them by filter, over HTTP. */
import type { Pool } from "pg";
import { empty, json, type ApiCall, type HttpAnswer } from "./answer.js";
import type { InstanceRow } from "../storage/instance-rows.js";
import { askedPage, cutPage, dateOf } from "./pages.js";
import { isFinal, runtimeStatuses, type RuntimeStatus } from "../protocol/protocol.js";
import { purgeMatching } from "../storage/purge.js";
import { statusValue } from "./status-view.js";

interface ListParts {
  readonly pool: Pool;
  readonly hub: string;
}

/** Exact names only; whatever is no status is passed over, as the service does. */
const statusesOf = (query: URLSearchParams): RuntimeStatus[] => {
  const asked = query.getAll("runtimeStatus").flatMap((text) => text.split(","));
  return runtimeStatuses.filter((status) => asked.includes(status));
};

const likePrefix = (prefix: string): string => `${prefix.replace(/[\\%_]/gu, "\\$&")}%`;

export class ListRoutes {
  readonly #parts: ListParts;

  constructor(parts: ListParts) {
    this.#parts = parts;
  }

  async handle(call: ApiCall): Promise<HttpAnswer | undefined> {
    if (call.method === "GET") return this.#list(call);
    return call.method === "DELETE" ? this.#purge(call) : undefined;
  }

  async #list({ query, headers }: ApiCall): Promise<HttpAnswer> {
    const asked = askedPage(query, headers);
    if (asked === undefined) return json(200, []);
    const { page, more } = cutPage(await this.#rows(query, asked.after, asked.limit + 1), asked);
    const showInput = query.get("showInput")?.toLowerCase() !== "false";
    return json(
      200,
      page.map((row) => statusValue(row, { showInput })),
      more,
    );
  }

  async #rows(query: URLSearchParams, after: string, limit: number): Promise<InstanceRow[]> {
    const statuses = statusesOf(query);
    const { rows } = await this.#parts.pool.query<InstanceRow>(
      `select * from durable.instance where hub = $1 and id > $2 and id like $3
         and ($4::text[] is null or status = any($4))
         and created_at >= $5 and created_at <= $6 and kind = 'orchestration'
       order by id limit $7`,
      [
        this.#parts.hub,
        after,
        likePrefix(query.get("instanceIdPrefix") ?? ""),
        statuses.length > 0 ? statuses : null,
        dateOf(query.get("createdTimeFrom")) ?? "-infinity",
        dateOf(query.get("createdTimeTo")) ?? "infinity",
        limit,
      ],
    );
    return rows;
  }

  /** Only finished instances go, whatever statuses were asked for. */
  async #purge({ query }: ApiCall): Promise<HttpAnswer> {
    const from = dateOf(query.get("createdTimeFrom"));
    if (from === undefined)
      return json(400, "Please provide value for 'createdTimeFrom' parameter.");
    const asked = statusesOf(query);
    const statuses = (asked.length > 0 ? asked : runtimeStatuses).filter(isFinal);
    const to = dateOf(query.get("createdTimeTo")) ?? "infinity";
    const { pool, hub } = this.#parts;
    const instancesDeleted = await purgeMatching(pool, { hub, statuses, from, to });
    return instancesDeleted === 0 ? empty(404) : json(200, { instancesDeleted });
  }
}
