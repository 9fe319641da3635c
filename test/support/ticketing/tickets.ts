/** Tickets through the platform's front door: a partner, an operator, and the clock. */
import { expect } from "vitest";
import { moveClockRoute } from "../../../shared/contracts/sandbox/clock.js";
import { postAttachmentRoute } from "../../../shared/contracts/ticketing/attachments.js";
import * as changes from "../../../shared/contracts/ticketing/changes.js";
import * as operators from "../../../shared/contracts/ticketing/operators.js";
import * as tickets from "../../../shared/contracts/ticketing/tickets.js";
import type { CallResult } from "../../../shared/http/client.js";
import { clientOf } from "../platform/api.js";
import type { TestStack } from "../platform/stack.js";

const patience = { interval: 50 };

export const valueOf = <Value>(result: CallResult<Value>): Value => {
  if (result.ok) return result.value;
  throw new Error(`${result.status} ${JSON.stringify(result.error)}`);
};

const operations = {
  takeincharge: operators.takeInChargeRoute,
  askcustomer: operators.askCustomerRoute,
  resume: operators.resumeTicketRoute,
  resolve: operators.resolveTicketRoute,
  reject: operators.rejectTicketRoute,
} as const;
export type Operation = keyof typeof operations;

export const ticketsAt = (stack: TestStack) => {
  const acme = clientOf(stack, "acme");
  const operator = clientOf(stack, "platform");

  const detail = async (casenumber: string) =>
    valueOf(await acme.call(tickets.getTicketRoute, { params: { casenumber } })).response;

  const timeline = async (casenumber: string) =>
    valueOf(await acme.call(tickets.getTimelineRoute, { params: { casenumber } })).response;

  return {
    detail,
    timeline,
    open: async (type: "Business" | "Alert" = "Business"): Promise<string> => {
      const category = type === "Alert" ? "Indisponibilita del servizio" : "Segnalazioni B2B";
      const body = { type, category, product: "wallet", description: "Non va" } as const;
      return valueOf(await acme.call(tickets.createTicketRoute, { body })).Response.caseNumber;
    },
    comment: async (casenumber: string, text: string) =>
      valueOf(
        await acme.call(changes.postCommentRoute, { params: { casenumber }, body: { text } }),
      ),
    attach: async (casenumber: string) =>
      valueOf(
        await acme.call(postAttachmentRoute, {
          params: { casenumber },
          query: { filename: "note.txt" },
          body: new TextEncoder().encode("Ancora una cosa"),
        }),
      ),
    operate: async (casenumber: string, operation: Operation) => {
      const input = { params: { casenumber }, body: { text: "Un operatore" } };
      return valueOf(await operator.call(operations[operation], input)).response;
    },
    moveClock: async (from: string, hours: number): Promise<void> => {
      const now = new Date(Date.parse(from) + hours * 3_600_000).toISOString();
      valueOf(await acme.call(moveClockRoute, { body: { now } }));
    },
    becomes: async (casenumber: string, status: string): Promise<void> => {
      await expect.poll(() => detail(casenumber), patience).toMatchObject({ status });
    },
    linesOf: async (casenumber: string, line: RegExp): Promise<number> =>
      (await timeline(casenumber)).filter(({ text }) => line.test(text)).length,
  };
};
