/** The route that proves a partner's books (contract 3.4). */
import { z } from "zod";
import { Moment } from "../date-range.js";
import { route } from "../route.js";

/** More are counted nowhere: whoever has a hundred needs `npm run prove`. */
export const mismatchesMax = 100;

export const BucketMismatch = z
  .object({
    partnerKey: z.string(),
    walletId: z.uuid(),
    bucketId: z.uuid(),
    balance: z.number().describe("As it is kept."),
    replayedBalance: z.number().describe("As the ledger's entries give it."),
  })
  .meta({ id: "BucketMismatch" });

export const Proof = z
  .object({
    debits: z.number(),
    credits: z.number(),
    balanced: z.boolean(),
    headHash: z.string().nullable().describe("64 hexadecimal digits."),
    mismatches: z.array(BucketMismatch).max(mismatchesMax),
  })
  .meta({ id: "Proof" });
export type Proof = z.infer<typeof Proof>;

export const getProofRoute = route({
  id: "getProof",
  api: "wallet",
  method: "GET",
  path: "accounting/proof",
  query: { at: Moment.optional() },
  role: "Operation.Read",
  ok: { status: 200, schema: Proof },
  errors: ["QueryParameterInvalid"],
  summary: "Prove the partner's books",
  result: "Whether the books balance, and whatever does not.",
  description:
    "`debits` and `credits` add up every entry of the partner's accounts up to `at` (now, where it " +
    "is absent); `balanced` is true where both are equal and every single transaction sums to " +
    `zero. \`mismatches\` are buckets (at most ${mismatchesMax}) whose balance now is not the sum of ` +
    "their entries. `headHash` is the end of the chain of hashes over all that was audited and " +
    "posted on the platform, up to that moment: keep it, and `npm run prove -- --head HASH` tells " +
    "later whether anything before it was changed. It is null before anything was. The operators' " +
    "own proof, under the partner `platform`, is about every partner's books.",
});
