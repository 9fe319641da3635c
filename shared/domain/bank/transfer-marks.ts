/** What a transfer's texts may name: codes of IBAN validations, ids of ours, references, reconciliation codes. */
import { possibleCodes } from "./sct-match.js";

export interface TransferMarks {
  readonly codes: readonly string[];
  /** Of requests to the bank and of operations, which banks carry with their hyphens or without. */
  readonly ids: readonly string[];
  readonly referenceNames: readonly string[];
  readonly reconciliationCodes: readonly string[];
}

const idShape = /[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}/giu;
/** At every place: a word before it may end in the same letters. */
const reconciliationCodeShape = /(?=(RC[A-HJ-NP-Z2-9]{10}))/gu;
/** References that SEPA carries. */
const referenceMax = 35;
/** So many of a kind are looked at. */
const marksMax = 50;

const distinct = (found: readonly string[]): readonly string[] =>
  [...new Set(found)].slice(0, marksMax);

/** The words of the reason as they are written and in upper case, without what a sentence puts around them. */
const wordsOf = (text: string): readonly string[] =>
  text
    .split(/[\s,;]+/u)
    .map((word) => word.replace(/^["'(:./]+|["'):./]+$/gu, ""))
    .filter((word) => word !== "" && word.length <= referenceMax)
    .flatMap((word) => [word, word.toUpperCase()]);

export const marksOf = ({
  reason,
  transactionReference,
}: {
  readonly reason: string;
  readonly transactionReference: string;
}): TransferMarks => ({
  codes: possibleCodes(reason),
  ids: distinct(
    `${transactionReference} ${reason}`
      .match(idShape)
      ?.map((id) => id.replaceAll("-", "").toLowerCase()) ?? [],
  ),
  referenceNames: distinct([transactionReference, ...wordsOf(reason)]),
  reconciliationCodes: distinct(
    Array.from(
      reason
        .toUpperCase()
        .replace(/[^A-Z0-9]/gu, "")
        .matchAll(reconciliationCodeShape),
      ([, code = ""]) => code,
    ),
  ),
});
