/** Entity requests and answers in a history, worded as the service words them. */
import { isRecord, parseEntityId, type HistoryEvent } from "../protocol/protocol.js";
import { preciseDate } from "./precise-date.js";

const namespace = "Microsoft.Azure.WebJobs.Extensions.DurableTask";
const typeName = (name: string): string => `${namespace}.${name}, ${namespace}`;

/** What stands for "there was none before" among the service's dates. */
const noDate = "0001-01-01T00:00:00";

const parsed = (text: string | undefined): Record<string, unknown> => {
  const value: unknown = JSON.parse(text ?? "{}");
  return isRecord(value) ? value : {};
};

/** The service writes execution ids with hyphens here. */
const hyphenated = (id: string): string =>
  id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/u, "$1-$2-$3-$4-$5");

const lockSet = (value: unknown): object[] | undefined =>
  Array.isArray(value) ? value.flatMap((id) => parseEntityId(String(id)) ?? []) : undefined;

/** Walks through one history in its order: a request names the time of the one before it. */
export class EntityMessageView {
  readonly #parent: string;
  readonly #parentExecution: string;
  readonly #lastSent = new Map<string, string>();
  readonly #asked = new Set<string>();

  constructor(instanceId: string, executionId: string) {
    this.#parent = instanceId;
    this.#parentExecution = hyphenated(executionId);
  }

  /** The input of an EventSent. */
  sent({ Name, Input, InstanceId = "", Timestamp }: HistoryEvent): string {
    const { id, lockset, ...operation } = parsed(Input);
    this.#asked.add(String(id));
    if (Name === "release")
      return JSON.stringify({ $type: typeName("ReleaseMessage"), parent: this.#parent, id });
    const at = preciseDate(Timestamp);
    const before = this.#lastSent.get(InstanceId) ?? noDate;
    this.#lastSent.set(InstanceId, at);
    return JSON.stringify({
      $type: typeName("RequestMessage"),
      ...operation,
      id,
      parent: this.#parent,
      parentExecution: this.#parentExecution,
      ...(lockset !== undefined && { lockset: lockSet(lockset), pos: 0 }),
      Timestamp: at,
      Predecessor: before,
      requestTime: at,
    });
  }

  /** The input of an EventRaised, which may be an entity's answer. */
  raised({ Name, Input }: HistoryEvent): string | null {
    if (!this.#asked.has(Name ?? "")) return Input ?? null;
    return JSON.stringify({ $type: typeName("ResponseMessage"), ...parsed(Input) });
  }
}
