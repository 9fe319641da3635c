/** What a search asks for, brought into the form that wallets are kept in. */
import { refusal, success, type Outcome } from "../outcome.js";
import { normaliseIban } from "./iban.js";
import { phoneSpellings } from "./phone.js";
import { normaliseTaxId } from "./tax-id.js";

type Given<Value> = Value | null | undefined;

export interface SearchRequest {
  readonly taxId?: Given<string>;
  readonly firstName?: Given<string>;
  readonly lastName?: Given<string>;
  readonly phoneNumber?: Given<string>;
  readonly email?: Given<string>;
  readonly iban?: Given<string>;
  readonly isSuspended?: Given<boolean>;
  readonly isClosed?: Given<boolean>;
  readonly hasNeverBeenUsed?: Given<boolean>;
}

/** The fields of which a part is enough. */
export const partialFields = ["firstName", "lastName", "phoneNumber", "email"] as const;
export type PartialField = (typeof partialFields)[number];

type SearchedStatus = "Active" | "Suspended" | "Closed";

export interface WalletSearch {
  readonly taxId: string | null;
  readonly iban: string | null;
  /** Of each field the spellings of its part, of which one is enough; at least one. */
  readonly parts: Readonly<Partial<Record<PartialField, readonly string[]>>>;
  readonly statuses: readonly SearchedStatus[];
  readonly neverUsed: boolean;
}

const wanted = (flag: Given<boolean>, found: boolean): boolean => flag == null || flag === found;

/** A closed wallet was suspended before, and still is. */
const statuses = ["Active", "Suspended", "Closed"] as const satisfies readonly SearchedStatus[];

const textOf = (text: Given<string>): string | null => {
  const trimmed = text?.trim() ?? "";
  return trimmed === "" ? null : trimmed;
};

export const checkedSearch = (
  request: SearchRequest,
): Outcome<WalletSearch, "SearchParameterInvalid"> => {
  const { isSuspended, isClosed } = request;
  if (isSuspended === false && isClosed === true)
    return refusal("SearchParameterInvalid", {
      isSuspended: "must not be false where isClosed is true.",
    });
  const taxId = textOf(request.taxId);
  const iban = textOf(request.iban);
  return success({
    taxId: taxId === null ? null : normaliseTaxId(taxId),
    iban: iban === null ? null : normaliseIban(iban),
    parts: Object.fromEntries(
      partialFields.flatMap((field) => {
        const part = textOf(request[field]);
        if (part === null) return [];
        return [[field, field === "phoneNumber" ? phoneSpellings(part) : [part]]];
      }),
    ),
    statuses: statuses.filter(
      (status) => wanted(isSuspended, status !== "Active") && wanted(isClosed, status === "Closed"),
    ),
    neverUsed: request.hasNeverBeenUsed === true,
  });
};
