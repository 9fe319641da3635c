/** Reads a file of the bank's, whichever message it holds, as a stream of what it says. */
import { BankFileError } from "./bank-file-error.js";
import type { IncomingMessage } from "./messages.js";
import { notificationReading, type NotifiedEntry } from "./notifications.js";
import { statusReading, type StatusItem } from "./payment-status.js";
import { statementReading, type StatementItem } from "./statements.js";
import { readParts, type MessagePart } from "./xml-reader.js";

export type BankFileItem = StatusItem | NotifiedEntry | StatementItem;

const readings: Readonly<Record<IncomingMessage, () => (part: MessagePart) => BankFileItem[]>> = {
  paymentStatus: statusReading,
  notifications: notificationReading,
  statements: statementReading,
};

/** In lots, in the order of the file. Throws a BankFileError that says what is wrong, and where. */
export async function* readBankFile(
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<BankFileItem[]> {
  let reading: ((part: MessagePart) => BankFileItem[]) | undefined;
  for await (const { shape, parts } of readParts(bytes)) {
    reading ??= readings[shape.message]();
    const items = parts.flatMap(reading);
    if (items.length > 0) yield items;
  }
}

export type InspectedFile =
  | { readonly isSound: true; readonly items: number; readonly message: string | null }
  | { readonly isSound: false; readonly sentence: string };

/** Reads a file to its end without doing anything: what is unsound in its last line stops all of it. */
export const inspectBankFile = async (bytes: AsyncIterable<Uint8Array>): Promise<InspectedFile> => {
  let items = 0;
  let message: string | null = null;
  try {
    for await (const lot of readBankFile(bytes)) {
      items += lot.length;
      message ??= lot[0]?.is ?? null;
    }
    return { isSound: true, items, message };
  } catch (error) {
    if (error instanceof BankFileError) return { isSound: false, sentence: error.message };
    throw error;
  }
};
