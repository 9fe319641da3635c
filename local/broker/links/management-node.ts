/** The node `$management` of an entity: finds the operation that a request names and answers it. */
import { asBrokerError, BrokerError, conditions, type Condition } from "../errors.js";
import type { Destination } from "../entities/destination.js";
import type { Queue } from "../entities/queue.js";
import type { Subscription } from "../entities/routers.js";
import type { EntityStore } from "../storage/entity-store.js";
import { types, type DecodedMessage } from "../wire/rhea.js";
import { messageOperations } from "./message-operations.js";
import type { Reply } from "./replies.js";
import { ruleOperations } from "./rule-operations.js";
import { sessionOperations } from "./session-operations.js";

/** What an address stands for: a topic has no queue, only a subscription has rules. */
export interface ManagedEntity {
  readonly queue: Queue | undefined;
  readonly destination: Destination | undefined;
  readonly subscription: Subscription | undefined;
  readonly entities: EntityStore;
}

/** An entity as one request is about it. */
export interface Managed extends ManagedEntity {
  /** The receiver for which the request is made, where the client says so. */
  readonly linkName: string | undefined;
}

/** Answers the body of the reply; null stands for "there is none". */
export type Operation = (
  entity: Managed,
  body: unknown,
) => Promise<Readonly<Record<string, unknown>> | null>;

const operations: ReadonlyMap<string, Operation> = new Map([
  ...Object.entries(messageOperations),
  ...Object.entries(sessionOperations),
  ...Object.entries(ruleOperations),
]);

const statusCodes: Readonly<Partial<Record<Condition, number>>> = {
  [conditions.entityNotFound]: 404,
  [conditions.messageNotFound]: 404,
  [conditions.messageLockLost]: 410,
  [conditions.sessionLockLost]: 410,
  [conditions.entityExists]: 409,
  [conditions.unauthorized]: 401,
  [conditions.notAllowed]: 400,
  [conditions.invalidField]: 400,
  [conditions.decodeError]: 400,
  [conditions.notImplemented]: 501,
  [conditions.messageTooLarge]: 413,
};

/** Some clients read the first spelling of each property, some the second. */
const statusOf = (code: number, description: string): Record<string, unknown> => ({
  statusCode: types.wrap_int(code),
  "status-code": types.wrap_int(code),
  statusDescription: description,
  "status-description": description,
});

export const answer = async (entity: ManagedEntity, request: DecodedMessage): Promise<Reply> => {
  try {
    const name = String(request.application_properties?.["operation"]);
    const operation = operations.get(name.replace(/^com\.microsoft:/, ""));
    if (operation === undefined)
      throw new BrokerError(conditions.notImplemented, `The operation '${name}' is not served.`);
    const linkName = request.application_properties?.["associated-link-name"];
    const body = await operation(
      { ...entity, linkName: typeof linkName === "string" ? linkName : undefined },
      request.body,
    );
    return body === null
      ? { properties: statusOf(204, "No content"), body: null }
      : { properties: statusOf(200, "OK"), body };
  } catch (error) {
    const { condition, message } = asBrokerError(error);
    return {
      properties: {
        ...statusOf(statusCodes[condition] ?? 500, message),
        errorCondition: types.wrap_symbol(condition),
        "error-condition": types.wrap_symbol(condition),
      },
      body: null,
    };
  }
};
