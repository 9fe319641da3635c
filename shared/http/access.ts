/** What each API asks of a caller besides the token: AuthKey and the partner header; and what its calls count as. */
import type { Api, Route } from "../contracts/route.js";

export interface Access {
  readonly authKey: boolean;
  /** Headers that may name the partner, the API's own first. */
  readonly partnerHeaders: readonly string[];
  /** Whether one of them must be there. */
  readonly partnerRequired: boolean;
}

export const accessOf: Readonly<Record<Api, Access>> = {
  wallet: { authKey: true, partnerHeaders: ["Partner"], partnerRequired: true },
  card: { authKey: true, partnerHeaders: ["X-Affiliate", "Partner"], partnerRequired: true },
  ticketing: { authKey: false, partnerHeaders: ["X-Tenant", "Partner"], partnerRequired: false },
  sandbox: { authKey: false, partnerHeaders: ["Partner"], partnerRequired: false },
  platform: { authKey: false, partnerHeaders: ["Partner"], partnerRequired: false },
};

/** The partner that the request names, by the first header that is there. */
export const namedPartner = (
  access: Access,
  headers: { get(name: string): string | null },
): string | undefined => {
  for (const name of access.partnerHeaders) {
    const value = headers.get(name);
    if (value !== null && value !== "") return value;
  }
  return undefined;
};

/**
 * What is counted apart: lists, which cost more than other calls, and payments by card, which a partner's
 * own batch must not decline at somebody's till.
 */
export type LimitedKind = "calls" | "lists" | "cards";

/** What a call counts as; null: as nothing, since no partner is known, or it stands for the outside world. */
export const limitedKind = ({
  api,
  role,
  query = {},
}: Pick<Route, "api" | "role" | "query">): LimitedKind | null => {
  if (role === null || api === "sandbox") return null;
  if (role === "O2I.Write") return "cards";
  return "pageSize" in query || "page" in query ? "lists" : "calls";
};
