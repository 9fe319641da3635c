/** One row of the refusal tables: a call that a route refuses, and what the refusal says. */
import type { Route } from "../../shared/contracts/route.js";
import type { ErrorCode } from "../../shared/contracts/errors.js";
import type { Given, WalletStates } from "./wallet-states.js";

export interface RefusalCase {
  readonly route: Route;
  readonly code: ErrorCode;
  readonly given: Given;
  /** Path parameters besides the wallet's. */
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: unknown;
  /** What errorProperties must hold. */
  readonly says?: Readonly<Record<string, string>>;
  readonly as?: "acme" | "globex" | "initech";
}

/** What every route about one wallet refuses. */
export const ownership = (
  { ofGlobex, nowhere }: WalletStates,
  route: Route,
  body?: unknown,
): RefusalCase[] => [
  { route, code: "WalletOfAnotherPartner", given: ofGlobex, body },
  { route, code: "WalletNotFound", given: nowhere, body },
];
