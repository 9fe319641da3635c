/** The SEPA direct debit mandate of a wallet: its form, filled with the mandate's data. */
import type { Mandate } from "../contracts/mandates/mandates.js";
import type { FormDeclaration } from "./pdf-form.js";
import { formFiller } from "./prepared-form.js";

const declaration = {
  title: "Mandato per addebito diretto SEPA",
  subtitle: "SEPA direct debit mandate",
  introduction:
    "Con questo mandato il debitore autorizza il creditore a chiedere alla banca del debitore " +
    "l'addebito del suo conto, e autorizza la banca a eseguirlo. / By this mandate the debtor " +
    "authorises the creditor to ask the debtor's bank to debit the account, and the bank to do so.",
  fields: [
    { name: "mandateUniqueReference", label: "Riferimento / Reference" },
    { name: "partnerKey", label: "Creditore / Creditor" },
    { name: "debtorName", label: "Debitore / Debtor" },
    { name: "debtorIban", label: "IBAN" },
    { name: "addressStreet", label: "Indirizzo / Address" },
    { name: "city", label: "Città / City" },
    { name: "amount", label: "Importo / Amount (EUR)" },
    { name: "frequency", label: "Frequenza / Frequency" },
    { name: "walletId", label: "Portafoglio / Wallet" },
  ],
  clauses: [
    "1. Gli addebiti ricaricano il portafoglio indicato, con l'importo e la frequenza riportati " +
      "sopra. / The debits top up the wallet named above, by the amount and at the frequency above.",
    "2. Il debitore può chiedere alla propria banca il rimborso entro otto settimane " +
      "dall'addebito. / The debtor may ask the bank for a refund within eight weeks of a debit.",
    "3. Il mandato si può revocare in ogni momento; decade se non è usato per trentasei mesi. / " +
      "The mandate may be revoked at any time; it lapses when unused for thirty-six months.",
  ],
  closing:
    "Il documento è valido con il sigillo elettronico. / Valid with its electronic seal only.",
  edition: new Date("2026-01-01T00:00:00Z"),
} as const satisfies FormDeclaration;

type MandateValues = Readonly<
  Record<(typeof declaration)["fields"][number]["name"], string | null>
>;

const frequencies = {
  Weekly: "Settimanale / Weekly",
  Monthly: "Mensile / Monthly",
} as const satisfies Record<Mandate["frequency"], string>;

const fillForm = formFiller(declaration);

const valuesOf = (mandate: Mandate): MandateValues => ({
  mandateUniqueReference: mandate.mandateUniqueReference,
  partnerKey: mandate.partnerKey,
  debtorName: mandate.debtorName,
  debtorIban: mandate.debtorIban,
  addressStreet: mandate.addressStreet,
  city: mandate.city,
  amount: mandate.amount.toFixed(2),
  frequency: frequencies[mandate.frequency],
  walletId: mandate.walletId,
});

/** The mandate filled with its data, flattened, not sealed. */
export const fillMandateForm = (mandate: Mandate): Promise<Uint8Array> =>
  fillForm(valuesOf(mandate));
