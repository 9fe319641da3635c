/** What counts as an affiliate's answer: everything else counts as none. */
import { z } from "zod";
import type { O2iAnswer } from "../contracts/authorisations/o2i.js";
import { parsedJson } from "../platform/parsed-json.js";
import type { HttpAnswer } from "./http-exchange.js";

/** As many euro as cents still are a safe integer of. */
const balanceMax = 90_000_000_000_000;

const Answer = z.object({
  transactionId: z.string(),
  responseCode: z.string().regex(/^[0-9A-Z]{2}$/),
  availableBalance: z.number().min(-balanceMax).max(balanceMax),
  accountCurrency: z.int().min(1).max(999),
});

/** The answer, or in a few fixed words why it is none. */
export const readAnswer = (
  { status, text }: HttpAnswer,
  transactionId: string,
): O2iAnswer | string => {
  if (status !== 200) return `it answered ${status}`;
  const answer = Answer.safeParse(parsedJson(text));
  if (!answer.success) return "its answer is not one of the interface";
  return answer.data.transactionId === transactionId
    ? answer.data
    : "its answer is about another transaction";
};
