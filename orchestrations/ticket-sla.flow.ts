/** Follows a ticket to its end: notes when it expires, resolves what nobody answers, closes it in silence. */
import { z } from "zod";
import { finalStatuses, ticketStatuses } from "../shared/domain/ticketing/status.js";
import { flow, flowEvent, step } from "../shared/durable/flow.js";

const Ticket = z.object({ caseNumber: z.string() });
/** The deed is for the date that was seen: a ticket that moved meanwhile is left alone. */
const Due = Ticket.extend({ dueOn: z.iso.datetime() });

/** Somebody moved the ticket. */
export const ticketChanged = flowEvent("ticketChanged", z.unknown());

export const readTicketClock = step("readTicketClock", {
  input: Ticket,
  output: z.object({
    status: z.enum([...ticketStatuses, "Unknown"]),
    /** When the platform has to act next; null: not before somebody else does. */
    dueOn: z.iso.datetime().nullable(),
  }),
});
export const expireTicket = step("expireTicket", { input: Due, output: z.null() });
export const resolveSilentTicket = step("resolveSilentTicket", { input: Due, output: z.null() });
export const closeSilentTicket = step("closeSilentTicket", { input: Due, output: z.null() });

export const ticketSlaId = (caseNumber: string): string => `ticket-${caseNumber}`;

const inWords = (status: string, dueOn: string | null): string => {
  if (status === "WaitingForCustomer") {
    const until = dueOn === null ? "" : ` until ${dueOn}`;
    return `Waiting for the customer${until}, the clock stands still`;
  }
  if (dueOn === null) return `${status}, past its expiration date`;
  return status === "Resolved"
    ? `Resolved, closes on ${dueOn} unless somebody writes`
    : `${status}, expires on ${dueOn}`;
};

/** What the platform does once the date has come. */
const deedOf = (status: string) => {
  if (status === "WaitingForCustomer") return resolveSilentTicket;
  return status === "Resolved" ? closeSilentTicket : expireTicket;
};

export const ticketSla = flow({
  name: "ticketSla",
  input: Ticket,
  steps: [readTicketClock, expireTicket, resolveSilentTicket, closeSilentTicket],
  *body(context, input) {
    const { status, dueOn } = yield* context.run(readTicketClock, input);
    if (status === "Unknown" || finalStatuses.includes(status)) {
      context.setStatus(`The ticket is over: ${status}`);
      return { status };
    }
    context.setStatus(inWords(status, dueOn));
    if (dueOn === null || context.now() < new Date(dueOn)) {
      yield* context.waitFor([ticketChanged], dueOn === null ? null : new Date(dueOn));
    } else {
      yield* context.run(deedOf(status), { ...input, dueOn });
    }
    return context.again(input);
  },
});
