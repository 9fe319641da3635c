/** What a mandate's PDF shows besides its record, as it was when the mandate was filled. */
import { z } from "zod";

export const MandateTerms = z.object({
  debtorTaxId: z.string().nullable(),
  debtorBic: z.string().nullable(),
  zipCode: z.string().nullable(),
  province: z.string().nullable(),
  country: z.string().nullable(),
  creditorIdentifier: z.string().nullable(),
  creditorName: z.string().nullable(),
  creditorAddress: z.string().nullable(),
  /** So many days before each collection the debtor is told of it. */
  preNotificationDays: z.int().nullable(),
  /** Null: nobody has asked for the signature yet. */
  signatureDate: z.iso.date().nullable(),
});
export type MandateTerms = z.infer<typeof MandateTerms>;
