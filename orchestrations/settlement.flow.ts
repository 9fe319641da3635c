/** The flows of settlement: a harvesting with its members, a single operation's transfer, a payment. */
import { z } from "zod";
import { flow, flowEvent, step, type Flow } from "../shared/durable/flow.js";

const Settlement = z.object({ operationId: z.uuid(), partnerKey: z.string() });

export const settlementOutcome = flowEvent("bankOutcome", z.unknown());
/** Somebody moved it, or wants it to wait no longer. */
export const settlementAdvanced = flowEvent("settlementAdvanced", z.unknown());

export const advanceOperation = step("advanceOperation", {
  input: Settlement,
  output: z.object({
    /** One of the 23, or Unknown. */
    status: z.string(),
    feedback: z.string().nullable(),
    attempts: z.int(),
    /** A harvesting's members are not where it is yet. */
    isBehind: z.boolean(),
    /** When the present state ends without an answer; null: it does not. */
    dueAt: z.iso.datetime().nullable(),
  }),
});
export const followMembers = step("followMembers", {
  input: Settlement,
  output: z.object({ moved: z.int() }),
});

const isFinal = (status: string): boolean =>
  /^(Unknown|Completed|Cancelled|Expired|Terminated|TransferFailed|OutgoingPaymentRejected)$/.test(
    status,
  );
/** What its flow does not carry any further: before it begins, where another takes over, at the end. */
const ends = {
  /** Confirmed: it still takes members. */
  harvesting: (status: string) => isFinal(status) || status === "Confirmed",
  /** Confirmed: it is harvested. */
  accountingOperation: (status: string) =>
    isFinal(status) || /^(Initialized|Confirmed|OutgoingPayment.*)$/.test(status),
  outgoingPayment: isFinal,
} as const;
type SettlementFlow = keyof typeof ends;

const inWords = (
  status: string,
  feedback: string | null,
  attempts: number,
  dueAt: string | null,
): string => {
  const until = dueAt === null ? "" : ` (until ${dueAt})`;
  if (status.endsWith("Unaccomplished"))
    return `${status}: ${feedback ?? "no reason given"}, after ${attempts} attempts; again on ${dueAt ?? "demand"}`;
  return `${status}, waiting for the bank${until}`;
};

/** Members that somebody else holds at the moment are taken a little later. */
const holdMs = 1_000;

const settlementFlow = (name: SettlementFlow): Flow<typeof Settlement> =>
  flow({
    name,
    input: Settlement,
    steps: name === "harvesting" ? [advanceOperation, followMembers] : [advanceOperation],
    *body(context, input) {
      const seen = yield* context.run(advanceOperation, input);
      const { status, feedback, attempts, dueAt } = seen;
      if (seen.isBehind) {
        context.setStatus(`${status}, its members follow`);
        const { moved } = yield* context.run(followMembers, input);
        if (moved === 0)
          yield* context.waitFor(
            [settlementOutcome, settlementAdvanced],
            new Date(context.now().getTime() + holdMs),
          );
        return context.again(input);
      }
      if (ends[name](status)) {
        context.setStatus(status === "TransferFailed" ? `${status}: ${feedback ?? ""}` : status);
        return { status };
      }
      context.setStatus(inWords(status, feedback, attempts, dueAt));
      yield* context.waitFor(
        [settlementOutcome, settlementAdvanced],
        dueAt === null ? null : new Date(dueAt),
      );
      return context.again(input);
    },
  });

export const harvesting = settlementFlow("harvesting");
export const accountingOperation = settlementFlow("accountingOperation");
export const outgoingPayment = settlementFlow("outgoingPayment");

const prefixes = {
  harvesting: "harvesting",
  accountingOperation: "accounting",
  outgoingPayment: "payment",
} as const;

const flows = { harvesting, accountingOperation, outgoingPayment } as const;

/** The instance of a settlement's flow; bank requests name it, so that outcomes find it. */
export const settlementStart = (
  name: SettlementFlow,
  input: { readonly operationId: string; readonly partnerKey: string },
) => ({
  flow: flows[name],
  instanceId: `${prefixes[name]}-${input.operationId}`,
  input,
  // Each is begun anew where a row says so: a failed transfer, a harvesting that took its last member.
  restartAfter: ["completed", "failed"] as const,
});
