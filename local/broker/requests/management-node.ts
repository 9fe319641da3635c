/** The node `$management` of an entity: finds the operation that a request names and answers it. */
import type { Right } from "../access/access-rules.js";
import { asBrokerError, BrokerError, conditions, type Condition } from "../errors.js";
import { types } from "../wire/rhea.js";
import { inTime } from "../peers/deadline.js";
import type { ManagedEntity, Operation } from "./management.js";
import { receivingOperations, sendingOperations } from "./message-operations.js";
import type { Reply } from "./replies.js";
import type { Request } from "./request-link.js";
import { ruleOperations } from "./rule-operations.js";
import { sessionOperations } from "./session-operations.js";

interface Permitted {
  readonly operation: Operation;
  readonly right: Right;
}

const needing = (
  right: Right,
  operations: Readonly<Record<string, Operation>>,
): [string, Permitted][] =>
  Object.entries(operations).map(([name, operation]) => [name, { operation, right }]);

/** Whoever only listens changes no rules: by them it could take what is not for it, or nothing at all. */
const operations: ReadonlyMap<string, Permitted> = new Map([
  ...needing("Listen", receivingOperations),
  ...needing("Listen", sessionOperations),
  ...needing("Send", sendingOperations),
  ...needing("Manage", ruleOperations),
]);

export const statusCodes: Readonly<Partial<Record<Condition, number>>> = {
  [conditions.entityNotFound]: 404,
  [conditions.messageNotFound]: 404,
  [conditions.messageLockLost]: 410,
  [conditions.sessionLockLost]: 410,
  [conditions.entityExists]: 409,
  [conditions.preconditionFailed]: 412,
  [conditions.entityDisabled]: 403,
  [conditions.unauthorized]: 401,
  [conditions.notAllowed]: 400,
  [conditions.invalidField]: 400,
  [conditions.decodeError]: 400,
  [conditions.notImplemented]: 501,
  [conditions.messageTooLarge]: 413,
  [conditions.resourceLimitExceeded]: 403,
  [conditions.serverBusy]: 503,
  [conditions.timeout]: 408,
};

/** Some clients read the first spelling of each property, some the second. */
const statusOf = (code: number, description: string): Record<string, unknown> => ({
  statusCode: types.wrap_int(code),
  "status-code": types.wrap_int(code),
  statusDescription: description,
  "status-description": description,
});

/** `require` throws where the client has no such right, now, to the entity. */
export const answer = async (
  entity: ManagedEntity,
  request: Request,
  require: (right: Right) => void,
): Promise<Reply> => {
  try {
    const { operation: name, "associated-link-name": linkName } = request.properties;
    if (typeof name !== "string")
      throw new BrokerError(conditions.invalidField, "The request names no operation.");
    const permitted = operations.get(name.replace(/^com\.microsoft:/, ""));
    if (permitted === undefined)
      throw new BrokerError(conditions.notImplemented, `The operation '${name}' is not served.`);
    require(permitted.right);
    const managed = { ...entity, linkName: typeof linkName === "string" ? linkName : undefined };
    const body = await inTime(permitted.operation(managed, request.body));
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
