/** What is set aside, over HTTP: shown, put back, thrown away. The service has no such calls. */
import type { Registry } from "../hosts/registry.js";
import type { SetAside } from "../storage/set-aside.js";
import { empty, json, refusal, type ApiCall, type HttpAnswer } from "./answer.js";
import { askedPage, cutPage } from "./pages.js";

interface SetAsideParts {
  readonly setAside: SetAside;
  readonly registry: Pick<Registry, "quarantined" | "changed">;
}

/** Of a message: as many digits as the database can take. */
const isNumber = (text: string): boolean => /^\d{1,18}$/u.test(text);

export class SetAsideRoutes {
  readonly #parts: SetAsideParts;

  constructor(parts: SetAsideParts) {
    this.#parts = parts;
  }

  async handle(call: ApiCall): Promise<HttpAnswer | undefined> {
    const [id, ...rest] = call.segments;
    if (rest.length > 0) return undefined;
    if (id === undefined) return call.method === "GET" ? this.#list(call) : undefined;
    if (!isNumber(id)) return empty(404);
    if (call.method === "POST") return this.#putBack(id);
    return call.method === "DELETE" ? this.#discard(id) : undefined;
  }

  async #list({ query, headers }: ApiCall): Promise<HttpAnswer> {
    const asked = askedPage(query, headers);
    if (asked === undefined || !(asked.after === "" || isNumber(asked.after))) return json(200, []);
    const { setAside, registry } = this.#parts;
    const rows = await setAside.list(asked.after === "" ? "-1" : asked.after, asked.limit + 1);
    const { page, more } = cutPage(rows, asked);
    const messages = page.map((message) => ({
      ...message,
      setAsideAt: message.setAsideAt.toISOString(),
    }));
    const instances = registry.quarantined.map(({ instanceId, reason, since }) => ({
      instanceId,
      reason,
      since: since.toISOString(),
    }));
    return json(200, { messages, instances }, more);
  }

  async #putBack(id: string): Promise<HttpAnswer> {
    const { setAside, registry } = this.#parts;
    const instanceId = await setAside.putBack(id);
    if (instanceId !== undefined) {
      registry.changed(instanceId);
      return empty(202);
    }
    return (await setAside.holds(id))
      ? refusal(410, `Message ${id} cannot be put back: its instance has ended.`)
      : empty(404);
  }

  async #discard(id: string): Promise<HttpAnswer> {
    return empty((await this.#parts.setAside.discard(id)) ? 204 : 404);
  }
}
