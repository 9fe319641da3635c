/** What the client knows of a route while it runs: lines made of the platform's own routes when the package is built. */

/**
 * How a list goes on: by page numbers and a total, by page numbers until a page is empty, by the last item's
 * cursor, by sequence numbers, by pages of tickets.
 */
export type Paging = "numbers" | "arrays" | "cursor" | "sequence" | "tickets";

export interface RouteLine {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** `/wallet/wallets/{walletId}` */
  readonly path: string;
  /** Names of the query. One that ends in a dot takes an object: each of its entries is a parameter. */
  readonly query?: readonly string[];
  /**
   * What is sent: the input's other fields as one JSON object, or what stands under `body`: as JSON, or as
   * bytes of this media type. Absent: nothing.
   */
  readonly body?: "fields" | "json" | `${string}/${string}`;
  /** The answer is bytes, not JSON. */
  readonly bytes?: true;
  /** Where the idempotency key is said. */
  readonly key?: "header" | "body";
  /** The same call again changes nothing more, and is answered alike. */
  readonly repeatable?: true;
  readonly paging?: Paging;
}

export interface ApiLine {
  /** Whether calls carry a token, and of which kind the rest of their identity is. */
  readonly authKey: boolean;
  readonly partnerHeader: string;
  readonly routes: Readonly<Record<string, RouteLine>>;
}

export type Table = Readonly<Record<string, ApiLine>>;
