/** What clearing files are called: by issuer, day, type and affiliate (card seed, 4.4). */

/** What was presented by card schemes, and what the processor charges besides. */
export const clearingFileTypes = ["CLEARINGMULTISCHEME", "FEEMULTISCHEME"] as const;
export type ClearingFileType = (typeof clearingFileTypes)[number];

export interface NamedClearingFile {
  readonly issuerKey: string;
  readonly affiliateKey: string;
  /** `2026-11-22`. */
  readonly clearingDate: string;
  readonly type: ClearingFileType;
}

export const clearingFileName = ({
  issuerKey,
  affiliateKey,
  clearingDate,
  type,
}: NamedClearingFile): string =>
  `${issuerKey}_${clearingDate.replaceAll("-", "")}_${type}_${affiliateKey}.jsonl`;
