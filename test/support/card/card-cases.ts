/** One row of the card API's refusal table: a call that a route refuses, and what the refusal says. */
import type { Route } from "../../../shared/contracts/route.js";
import type { ErrorCode } from "../../../shared/contracts/errors.js";

export type PathParams = Readonly<Record<string, string>>;

export interface CardCase {
  readonly route: Route;
  readonly code: ErrorCode;
  /** Prepares the state; resolves to the path parameters. */
  readonly given: () => Promise<PathParams>;
  /** Without the question mark. */
  readonly query?: string;
  readonly body?: unknown;
  /** What errorProperties must hold. */
  readonly says?: Readonly<Record<string, string>>;
  readonly as?: "acme" | "globex" | "platform";
}

/** An identifier of nothing. */
export const nowhere = "01890a5d-ac96-774b-bcce-b302099a8057";

/** What every list refuses. */
export const pageCases = (
  route: Route,
  given: CardCase["given"],
  body?: unknown,
): readonly CardCase[] => [
  { route, given, body, code: "PageSizeOutOfRange", query: "pageSize=201" },
  { route, given, body, code: "PageNumberOutOfRange", query: "pageNumber=-1" },
];
