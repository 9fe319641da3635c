/** Follows a challenge out of band to its end: its result, or out of time. */
import { z } from "zod";
import { threeDsStatuses } from "../shared/domain/threeds/statuses.js";
import { flow, flowEvent, step } from "../shared/durable/flow.js";

const Challenge = z.object({ threeDsId: z.uuid() });

/** It was raised anew, or resolved. */
export const challengeChanged = flowEvent("challengeChanged", z.unknown());

export const readChallenge = step("readChallenge", {
  input: Challenge,
  output: z.object({
    status: z.enum([...threeDsStatuses, "Unknown"]),
    expiresAt: z.iso.datetime().nullable(),
  }),
});
export const timeOutChallenge = step("timeOutChallenge", { input: Challenge, output: z.null() });

export const oobChallengeId = (threeDsId: string): string => `challenge-${threeDsId}`;

export const oobChallenge = flow({
  name: "oobChallenge",
  input: Challenge,
  steps: [readChallenge, timeOutChallenge],
  *body(context, input) {
    const { status, expiresAt } = yield* context.run(readChallenge, input);
    if (status !== "OobRaised" || expiresAt === null) {
      context.setStatus(`The challenge is over: ${status}`);
      return { status };
    }
    context.setStatus(`Waiting for the card holder until ${expiresAt}`);
    if (context.now() < new Date(expiresAt))
      yield* context.waitFor([challengeChanged], new Date(expiresAt));
    else yield* context.run(timeOutChallenge, input);
    return context.again(input);
  },
});

/** A challenge may be raised again after its flow has ended: it has another life under the same id. */
export const oobChallengeStart = (input: z.input<typeof Challenge>) => ({
  flow: oobChallenge,
  instanceId: oobChallengeId(input.threeDsId),
  input: { threeDsId: input.threeDsId },
  restartAfter: ["completed", "failed"] as const,
});
