/** Lists instances, and purges them by filter, over HTTP. */
import type { Pool } from "pg";
import { z } from "zod";
import { empty, json, type ApiCall, type HttpAnswer } from "./http-answer.js";
import type { InstanceRow } from "./instance-rows.js";
import { isFinal, runtimeStatuses, type RuntimeStatus } from "./protocol.js";
import { removeInstances } from "./purge.js";
import { statusValue } from "./status-view.js";

interface ListParts {
  readonly pool: Pool;
  readonly hub: string;
}

const pageMax = 100;
const continuation = "x-ms-continuation-token";

/** The last id of a page, so that the next one goes on behind it, whatever happened meanwhile. */
const Token = z.object({ after: z.string() });

const encodeToken = (after: string): string =>
  Buffer.from(JSON.stringify({ after })).toString("base64");

const decodeToken = (token: string): string | undefined => {
  try {
    const text = Buffer.from(token, "base64").toString("utf8");
    return Token.parse(JSON.parse(text)).after;
  } catch {
    return undefined;
  }
};

const dateOf = (text: string | null): Date | undefined => {
  const date = new Date(text ?? "");
  return Number.isNaN(date.getTime()) ? undefined : date;
};

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
    const token = headers[continuation];
    const after = token === undefined || token === "" ? "" : decodeToken(token);
    if (after === undefined) return json(200, []);
    const top = /^\d+$/u.test(query.get("top") ?? "") ? Number(query.get("top")) : pageMax;
    const limit = Math.min(top, pageMax);
    const rows = await this.#rows(query, after, limit + 1);
    const page = rows.slice(0, limit);
    const showInput = query.get("showInput")?.toLowerCase() !== "false";
    const more =
      rows.length > limit ? { [continuation]: encodeToken(page.at(-1)?.id ?? after) } : {};
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
    const { rows } = await this.#parts.pool.query<{ key: string }>(
      `select key from durable.instance where hub = $1 and status = any($2)
         and created_at >= $3 and created_at <= $4`,
      [this.#parts.hub, statuses, from, dateOf(query.get("createdTimeTo")) ?? "infinity"],
    );
    const keys = rows.map(({ key }) => key);
    const instancesDeleted = await removeInstances(this.#parts.pool, keys);
    return instancesDeleted === 0 ? empty(404) : json(200, { instancesDeleted });
  }
}
