/** The SEPA Core direct debit mandate of a wallet: its form, filled with the data that it is signed with. */
import type { Mandate } from "../contracts/mandates/mandates.js";
import type { MandateTerms } from "../contracts/mandates/terms.js";
import type { FormDeclaration } from "./pdf-form.js";
import { formFiller } from "./prepared-form.js";

const declaration = {
  title: "Mandato per addebito diretto SEPA Core",
  subtitle: "SEPA Core direct debit mandate",
  introduction:
    "Con questo mandato il debitore autorizza il creditore a chiedere alla banca del debitore " +
    "l'addebito del suo conto, e autorizza la banca a eseguirlo. / By this mandate the debtor " +
    "authorises the creditor to ask the debtor's bank to debit the account, and the bank to do so.",
  fields: [
    { name: "mandateUniqueReference", label: "Riferimento / Reference" },
    { name: "creditorIdentifier", label: "Id. creditore / Creditor id." },
    { name: "creditorName", label: "Creditore / Creditor" },
    { name: "creditorAddress", label: "Indirizzo / Address" },
    { name: "debtorName", label: "Debitore / Debtor" },
    { name: "debtorAddress", label: "Indirizzo / Address" },
    { name: "debtorTaxId", label: "Codice fiscale / Tax id" },
    { name: "debtorIban", label: "IBAN" },
    { name: "debtorBic", label: "BIC" },
    { name: "paymentType", label: "Tipo / Type of payment" },
    { name: "amount", label: "Importo / Amount (EUR)" },
    { name: "frequency", label: "Frequenza / Frequency" },
    { name: "preNotification", label: "Preavviso / Pre-notification" },
    { name: "walletId", label: "Portafoglio / Wallet" },
    { name: "placeAndDate", label: "Luogo e data / Place and date" },
  ],
  clauses: [
    "1. Gli addebiti ricaricano il portafoglio indicato, con l'importo e la frequenza riportati " +
      "sopra; ognuno è annunciato con il preavviso convenuto. / The debits top up the wallet named " +
      "above, by the amount and at the frequency above; each is announced as agreed.",
    "2. Il debitore può chiedere alla propria banca il rimborso entro otto settimane " +
      "dall'addebito. / The debtor may ask the bank for a refund within eight weeks of a debit.",
    "3. Il mandato si può revocare in ogni momento; decade se non è usato per trentasei mesi. / " +
      "The mandate may be revoked at any time; it lapses when unused for thirty-six months.",
  ],
  closing:
    "Il documento è valido con il sigillo elettronico. / Valid with its electronic seal only.",
  edition: new Date("2026-11-22T00:00:00Z"),
} as const satisfies FormDeclaration;

type MandateValues = Readonly<
  Record<(typeof declaration)["fields"][number]["name"], string | null>
>;

const frequencies = {
  Weekly: "Settimanale / Weekly",
  Monthly: "Mensile / Monthly",
} as const satisfies Record<Mandate["frequency"], string>;

const fillForm = formFiller(declaration);

const notStated = "Non indicato / Not stated";

/** The parts that are known, with what stands between them; null: none is. */
const joined = (between: string, ...parts: readonly (string | null)[]): string | null =>
  parts.filter((part) => part !== null).join(between) || null;

export interface MandateForm {
  readonly mandate: Mandate;
  readonly terms: MandateTerms;
}

const valuesOf = ({ mandate, terms }: MandateForm): MandateValues => {
  const { zipCode, province, country, preNotificationDays, signatureDate } = terms;
  const place = joined(" ", zipCode, mandate.city, province);
  return {
    mandateUniqueReference: mandate.mandateUniqueReference,
    creditorIdentifier: terms.creditorIdentifier,
    creditorName: terms.creditorName,
    creditorAddress: terms.creditorAddress,
    debtorName: mandate.debtorName,
    debtorAddress: joined(", ", mandate.addressStreet, place, country) ?? notStated,
    debtorTaxId: terms.debtorTaxId,
    debtorIban: mandate.debtorIban,
    debtorBic: terms.debtorBic ?? notStated,
    paymentType: "Ricorrente / Recurrent",
    amount: mandate.amount.toFixed(2),
    frequency: frequencies[mandate.frequency],
    preNotification: joined(" ", preNotificationDays?.toString() ?? null, "giorni / days"),
    walletId: mandate.walletId,
    placeAndDate: joined(
      ", ",
      mandate.city ?? "Online",
      signatureDate ?? "alla firma / at signature",
    ),
  };
};

/** The mandate filled with its data, flattened, not sealed. */
export const fillMandateForm = (form: MandateForm): Promise<Uint8Array> => fillForm(valuesOf(form));
