/** The wallet contract: its form, made once, and the form filled with a wallet's data. */
import type { Wallet } from "../contracts/wallet/wallets.js";
import { lazy } from "../platform/lazy.js";
import { makeForm, type FormDeclaration } from "./pdf-form.js";
import { formFiller } from "./prepared-form.js";

const declaration = {
  title: "Contratto di attivazione del portafoglio",
  subtitle: "Wallet activation contract",
  introduction:
    "Tra il partner che offre il servizio e il titolare indicato qui sotto si conviene quanto " +
    "segue. / Between the partner that offers the service and the holder named below the " +
    "following is agreed.",
  fields: [
    { name: "walletId", label: "Portafoglio / Wallet" },
    { name: "partnerKey", label: "Partner" },
    { name: "firstName", label: "Nome / First name" },
    { name: "lastName", label: "Cognome / Last name" },
    { name: "taxId", label: "Codice fiscale / Tax id" },
    { name: "address", label: "Indirizzo / Address" },
    { name: "city", label: "Città / City" },
    { name: "country", label: "Paese / Country" },
    { name: "phoneNumber", label: "Telefono / Phone" },
    { name: "email", label: "E-mail" },
    { name: "iban", label: "IBAN" },
  ],
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
} as const satisfies FormDeclaration;

type ContractValues = Readonly<
  Record<(typeof declaration)["fields"][number]["name"], string | null>
>;

/** What the form takes of a wallet. */
export type ContractHolder = Pick<
  Wallet,
  | "walletId"
  | "partnerKey"
  | "firstName"
  | "lastName"
  | "taxId"
  | "addressStreet"
  | "addressNumber"
  | "zipCode"
  | "city"
  | "province"
  | "country"
  | "phoneNumber"
  | "email"
  | "iban"
>;

/** The empty form: the same bytes in every process of this edition. */
export const contractTemplate = lazy(() => makeForm(declaration));

const fillForm = formFiller(declaration);

const joined = (...parts: readonly (string | null)[]): string | null => {
  const present = parts.filter((part) => part !== null);
  return present.length === 0 ? null : present.join(" ");
};

const valuesOf = (wallet: ContractHolder): ContractValues => ({
  walletId: wallet.walletId,
  partnerKey: wallet.partnerKey,
  firstName: wallet.firstName,
  lastName: wallet.lastName,
  taxId: wallet.taxId,
  address: joined(wallet.addressStreet, wallet.addressNumber),
  city: joined(wallet.zipCode, wallet.city, wallet.province),
  country: wallet.country,
  phoneNumber: wallet.phoneNumber,
  email: wallet.email,
  iban: wallet.iban,
});

/** The contract filled with the wallet's data, flattened, not sealed. */
export const fillContract = (wallet: ContractHolder): Promise<Uint8Array> =>
  fillForm(valuesOf(wallet));
