/** Who is debited for a store: its owner, by name and IBAN, as far as both are known. */
import { refusal, success, type Outcome } from "../outcome.js";
import { ibanFault, normaliseIban } from "./iban.js";

export interface StoreOwner {
  readonly ownerName: string | null;
  readonly ownerIban: string | null;
}

export interface Debtor {
  readonly name: string;
  readonly iban: string;
}

const missing = "is not set.";

/** A store takes any text for its owner's IBAN; the bank takes only a sound one. */
export const debtorOf = ({
  ownerName,
  ownerIban,
}: StoreOwner): Outcome<Debtor, "StoreOwnerDataMissing"> => {
  const iban = ownerIban === null ? null : normaliseIban(ownerIban);
  const isSound = iban !== null && ibanFault(iban) === undefined;
  if (ownerName !== null && isSound) return success({ name: ownerName, iban });
  return refusal("StoreOwnerDataMissing", {
    ...(ownerName === null ? { ownerName: missing } : {}),
    ...(isSound ? {} : { ownerIban: iban === null ? missing : "is not a sound IBAN." }),
  });
};
