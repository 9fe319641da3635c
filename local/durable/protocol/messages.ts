/** Messages to instances: what they say, and the text form in which they are kept. */
import { z } from "zod";
import { FailureDetails } from "./failure-details.js";

const text = z.string();
const optionalText = z.string().optional();

const EntityRequest = z.object({
  id: text,
  /** Who asked, and in which execution; absent where nobody waits for an answer. */
  parent: optionalText,
  parentExecution: optionalText,
});

const failed = { reason: text, details: text, failure: FailureDetails.optional() };

/** How often the asker had been rewound when it asked: what it asked for before does not count any more. */
const rewinds = z.number().default(0);

/** The id of a request for what an orchestration held when it failed; it goes on once it has that again. */
export const reentryId = "reentry";

const MessageBody = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("event"),
    name: text,
    input: optionalText,
    /** When a client raised it, in milliseconds; absent on what the engine itself sends. */
    at: z.number().optional(),
  }),
  z.object({ type: z.literal("timer"), taskId: z.number(), fireAt: z.number() }),
  z.object({ type: z.literal("childCompleted"), taskId: z.number(), result: text }),
  z.object({
    type: z.literal("childFailed"),
    taskId: z.number(),
    ...failed,
  }),
  z.object({ type: z.literal("activityFailed"), taskId: z.number(), ...failed }),
  z.object({ type: z.literal("terminate"), reason: optionalText }),
  z.object({ type: z.literal("suspend"), reason: optionalText }),
  z.object({ type: z.literal("resume"), reason: optionalText }),
  z.object({ type: z.literal("rewound"), reason: text }),
  EntityRequest.extend({
    type: z.literal("operation"),
    operation: text,
    input: optionalText,
  }),
  EntityRequest.extend({
    type: z.literal("lock"),
    lockSet: z.array(text),
    position: z.number(),
    rewinds,
  }),
  EntityRequest.extend({ type: z.literal("release"), rewinds }),
  /** All of a set is locked. */
  z.object({ type: z.literal("locked"), id: text, rewinds }),
]);

/** How a task failed: in the words of the service, and structured where the app has it so. */
export interface Failed {
  readonly reason: string;
  readonly details: string;
  readonly failure?: FailureDetails | undefined;
}

export type MessageBody = z.infer<typeof MessageBody>;
export type MessageOf<Type extends MessageBody["type"]> = Extract<MessageBody, { type: Type }>;

/** A message as it lies in the database and, once due, in its receiver's memory. */
export interface Message {
  readonly id: number;
  readonly target: string;
  /** Only this execution of the target may take it; absent where any may. */
  readonly executionId?: string;
  /** Milliseconds of the engine's clock; absent where it is due at once. */
  readonly dueAt?: number;
  readonly body: MessageBody;
}

/** How many of the messages were due as soon as they were stored. */
export const countUndated = (messages: Iterable<Message>): number => {
  let count = 0;
  for (const { dueAt } of messages) if (dueAt === undefined) count++;
  return count;
};

export const parseMessageBody = (body: string): MessageBody => MessageBody.parse(JSON.parse(body));
