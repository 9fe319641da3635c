/** One row of the refusal tables: a call that a route refuses, and what the refusal says. */
import type { Route } from "../../../shared/contracts/route.js";
import type { ErrorCode } from "../../../shared/contracts/errors.js";
import type { Given, WalletStates } from "../wallet/wallet-states.js";

export interface Prepared {
  readonly params?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Ends what was held for the time of the call. */
  readonly release?: () => Promise<void>;
}

export interface RefusalCase {
  readonly route: Route;
  readonly code: ErrorCode;
  readonly given: Given;
  /** Path parameters besides the wallet's or the store's. */
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: unknown;
  /** What the call needs besides, made for the wallet or store that `given` resolved to. */
  readonly prepare?: (id: string) => Promise<Prepared>;
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

/** What every list refuses. */
export const pageRefusals = (
  route: Route,
  given: Given,
  params: Readonly<Record<string, string>> = {},
): RefusalCase[] => {
  const body = route.body === undefined ? undefined : {};
  const call = { route, params, body, given };
  return [
    { ...call, code: "PageSizeOutOfRange", query: "pageSize=0" },
    {
      ...call,
      code: "PageSizeOutOfRange",
      query: "pageSize=201",
      says: { pageSize: "must be at most 200." },
    },
    { ...call, code: "PageSizeOutOfRange", query: "pageSize=ten" },
    { ...call, code: "PageSizeOutOfRange", query: "pageSize=" },
    { ...call, code: "PageNumberOutOfRange", query: "pageNumber=-1" },
    { ...call, code: "PageNumberOutOfRange", query: "pageNumber=3000000000" },
    { ...call, code: "PageNumberOutOfRange", query: "pageNumber=1.5" },
  ];
};
