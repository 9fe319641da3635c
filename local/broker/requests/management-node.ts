/** The node `$management` of an entity: finds the operation that a request names and answers it. */
import { asBrokerError, BrokerError, conditions, type Condition } from "../errors.js";
import { types } from "../wire/rhea.js";
import { inTime } from "../peers/deadline.js";
import type { ManagedEntity, Operation } from "./management.js";
import { messageOperations } from "./message-operations.js";
import type { Reply } from "./replies.js";
import type { Request } from "./request-link.js";
import { ruleOperations } from "./rule-operations.js";
import { sessionOperations } from "./session-operations.js";

const operations: ReadonlyMap<string, Operation> = new Map([
  ...Object.entries(messageOperations),
  ...Object.entries(sessionOperations),
  ...Object.entries(ruleOperations),
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

export const answer = async (entity: ManagedEntity, request: Request): Promise<Reply> => {
  try {
    const { operation: name, "associated-link-name": linkName } = request.properties;
    if (typeof name !== "string")
      throw new BrokerError(conditions.invalidField, "The request names no operation.");
    const operation = operations.get(name.replace(/^com\.microsoft:/, ""));
    if (operation === undefined)
      throw new BrokerError(conditions.notImplemented, `The operation '${name}' is not served.`);
    const managed = { ...entity, linkName: typeof linkName === "string" ? linkName : undefined };
    const body = await inTime(operation(managed, request.body));
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
