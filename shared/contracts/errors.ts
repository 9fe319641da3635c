/** The closed table of error codes. */
import { callErrors } from "./errors/call.js";
import { cardErrors } from "./errors/card.js";
import type { ErrorEntry } from "./errors/entry.js";
import { eventErrors } from "./errors/event.js";
import { moneyErrors } from "./errors/money.js";
import { storeErrors } from "./errors/store.js";
import { ticketingErrors } from "./errors/ticketing.js";
import { walletErrors } from "./errors/wallet.js";

/** Source: contract.md section 3, "Error codes"; 404 RouteNotFound, 405, 413 and 415 are ours. */
const entries = {
  ...callErrors,
  ...walletErrors,
  ...moneyErrors,
  ...storeErrors,
  ...cardErrors,
  ...eventErrors,
  ...ticketingErrors,
};

export type ErrorCode = keyof typeof entries;

export const errorTable: Readonly<Record<ErrorCode, ErrorEntry>> = entries;
