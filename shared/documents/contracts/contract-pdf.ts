/** What a contract shows of its wallet's holder: the fields of its form, and what stands in each of them. */
import type { Wallet } from "../../contracts/wallet/wallets.js";
import type { FieldValues } from "../prepared-form.js";

/** The names that fields of a contract's form may have, in the order of the form that the sandbox makes. */
export const contractFields = [
  "walletId",
  "partnerKey",
  "firstName",
  "lastName",
  "taxId",
  "address",
  "city",
  "country",
  "phoneNumber",
  "email",
  "iban",
] as const;
export type ContractField = (typeof contractFields)[number];

/** Without them a contract would not say who signed it. */
export const identifyingFields = [
  "firstName",
  "lastName",
  "taxId",
] as const satisfies ContractField[];

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

/** So that nobody takes a field that is blank for one that was forgotten, or fills it in by hand. */
const notGiven = "non indicato / not given";

const joined = (...parts: readonly (string | null)[]): string => {
  const present = parts.filter((part) => part !== null);
  return present.length === 0 ? notGiven : present.join(" ");
};

export const contractValues = (holder: ContractHolder): FieldValues =>
  ({
    walletId: holder.walletId,
    partnerKey: holder.partnerKey,
    firstName: holder.firstName,
    lastName: holder.lastName,
    taxId: holder.taxId,
    address: joined(holder.addressStreet, holder.addressNumber),
    city: joined(holder.zipCode, holder.city, holder.province),
    country: joined(holder.country),
    phoneNumber: holder.phoneNumber,
    email: holder.email,
    iban: joined(holder.iban),
  }) satisfies Record<ContractField, string>;
