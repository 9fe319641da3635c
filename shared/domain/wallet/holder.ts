/** A wallet holder's data: checked field by field, and brought into the form that is kept. */
import { refusal, success, type Outcome } from "../outcome.js";
import { normaliseEmail } from "./email.js";
import { namesFault } from "./names.js";
import { e164 } from "./phone.js";
import { normaliseTaxId, taxIdFault } from "./tax-id.js";

export interface Identity {
  readonly taxId: string;
  readonly email: string;
}

export interface Holder extends Identity {
  readonly firstName: string;
  readonly lastName: string;
  readonly phoneNumber: string;
}

/** Tax id in upper case, e-mail in lower case: so they are unique. */
export const checkedIdentity = (given: Identity): Outcome<Identity, "TaxIdInvalid"> => {
  const taxId = normaliseTaxId(given.taxId);
  const fault = taxIdFault(taxId);
  return fault === undefined
    ? success({ taxId, email: normaliseEmail(given.email) })
    : refusal("TaxIdInvalid", { taxId: given.taxId, fault });
};

export const checkedPhone = (phoneNumber: string): Outcome<string, "PhoneNumberInvalid"> => {
  const normalised = e164(phoneNumber);
  return normalised === undefined
    ? refusal("PhoneNumberInvalid", { phoneNumber })
    : success(normalised);
};

export const checkedHolder = (
  given: Holder,
): Outcome<Holder, "TaxIdInvalid" | "NamesDoNotMatchTaxId" | "PhoneNumberInvalid"> => {
  const identity = checkedIdentity(given);
  if (!identity.ok) return identity;
  const { firstName, lastName } = given;
  const fault = namesFault(identity.value.taxId, firstName, lastName);
  if (fault !== undefined) return refusal("NamesDoNotMatchTaxId", { [fault]: given[fault] });
  const phone = checkedPhone(given.phoneNumber);
  if (!phone.ok) return phone;
  return success({ ...identity.value, firstName, lastName, phoneNumber: phone.value });
};
