/** The template that a sandbox's partner has from the start: made once, kept like one that a partner hands in. */
import { makeForm, type FormDeclaration } from "../pdf-form.js";
import { contractFields, type ContractField } from "./contract-pdf.js";

const labels: Readonly<Record<ContractField, string>> = {
  walletId: "Portafoglio / Wallet",
  partnerKey: "Partner",
  firstName: "Nome / First name",
  lastName: "Cognome / Last name",
  taxId: "Codice fiscale / Tax id",
  address: "Indirizzo / Address",
  city: "Città / City",
  country: "Paese / Country",
  phoneNumber: "Telefono / Phone",
  email: "E-mail",
  iban: "IBAN",
};

const declarationFor = (partnerName: string) =>
  ({
    title: "Contratto di attivazione del portafoglio",
    subtitle: "Wallet activation contract",
    introduction:
      `Tra ${partnerName}, che offre il servizio, e il titolare indicato qui sotto si conviene quanto ` +
      `segue. / Between ${partnerName}, which offers the service, and the holder named below the ` +
      "following is agreed.",
    fields: contractFields.map((name) => ({ name, label: labels[name] })),
    clauses: [
      "1. Il partner apre a nome del titolare un portafoglio elettronico per depositi, pagamenti e " +
        "prelievi. / The partner opens an electronic wallet in the holder's name for deposits, " +
        "payments and withdrawals.",
      "2. Il titolare dichiara che i dati riportati sopra sono esatti e ne comunica ogni modifica. / " +
        "The holder declares that the data above are correct and reports every change.",
      "3. Il portafoglio è personale: il titolare custodisce i propri strumenti di accesso e segnala " +
        "senza indugio ogni uso non autorizzato. / The wallet is personal: the holder keeps its " +
        "means of access safe and reports any unauthorised use without delay.",
      "4. Limiti e commissioni sono mostrati prima della conferma di ogni operazione. / Limits and " +
        "fees are shown before each operation is confirmed.",
      "5. Il titolare può chiedere in ogni momento la chiusura del portafoglio e il rimborso del " +
        "saldo. / The holder may at any time ask for the wallet to be closed and its balance to be " +
        "paid out.",
    ],
    closing:
      "Il documento è valido con il sigillo elettronico. / Valid with its electronic seal only.",
    edition: new Date("2026-01-01T00:00:00Z"),
  }) as const satisfies FormDeclaration;

/** The empty form in this partner's name: the same bytes in every process of this edition. */
export const makeContractTemplate = (partnerName: string): Promise<Uint8Array> =>
  makeForm(declarationFor(partnerName));
