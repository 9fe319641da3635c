/** Takes a notification on that waits: for its next attempt, or for the bank to send its money back. */
import { z } from "zod";
import { flow, flowEvent, step } from "../shared/durable/flow.js";

const Notification = z.object({ bankNotificationId: z.uuid(), partnerKey: z.string() });

export const returnOutcome = flowEvent("bankOutcome", z.unknown());
/** Somebody moved it, or wants it to wait no longer. */
export const notificationAdvanced = flowEvent("notificationAdvanced", z.unknown());

export const advanceNotification = step("advanceNotification", {
  input: Notification,
  output: z.object({
    /** One of the eight, or Unknown. */
    status: z.string(),
    feedback: z.string().nullable(),
    /** When it is to be looked at again; null: there is nothing to wait for. */
    dueAt: z.iso.datetime().nullable(),
  }),
});

export const notificationInstance = (bankNotificationId: string): string =>
  `notification-${bankNotificationId}`;

export const bankNotification = flow({
  name: "bankNotification",
  input: Notification,
  steps: [advanceNotification],
  *body(context, input) {
    const { status, feedback, dueAt } = yield* context.run(advanceNotification, input);
    if (dueAt === null) {
      context.setStatus(feedback === null ? status : `${status}: ${feedback}`);
      return { status };
    }
    context.setStatus(
      status === "RejectionRequested"
        ? `${status}, waiting for the bank (until ${dueAt})`
        : `${status}, again on ${dueAt}`,
    );
    yield* context.waitFor([returnOutcome, notificationAdvanced], new Date(dueAt));
    return context.again(input);
  },
});

/** A notification that is over may wait again: each time its flow has another life. */
export const notificationStart = (input: z.output<typeof Notification>) => ({
  flow: bankNotification,
  instanceId: notificationInstance(input.bankNotificationId),
  input,
  restartAfter: ["completed", "failed"] as const,
});
