/** What administrators ask and are answered, and lists in pages. */
import { BrokerError, conditions } from "../errors.js";
import { feedDocument, type Entry } from "./atom.js";
import type { Element } from "./xml-reader.js";

export interface AdministrationRequest {
  readonly method: string;
  /** Scheme, host and port as the client knows them. */
  readonly origin: string;
  /** Decoded, without a slash at its ends. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly ifMatch: string | undefined;
  /** The root element of its body; throws where that cannot be read. */
  readonly body: () => Element;
  /** Throws where the client may not manage what is at this address as well. */
  readonly requireManage: (address: string) => void;
}

export interface Answer {
  readonly status: number;
  readonly body: string;
  readonly eTag?: string;
}

const pageMax = 100;

export const addressOf = ({ origin, query }: AdministrationRequest, path: string): string =>
  `${origin}/${path}?api-version=${encodeURIComponent(query.get("api-version") ?? "2021-05")}`;

const numberOf = (query: URLSearchParams, name: string, fallback: number, max: number): number => {
  const text = query.get(name);
  if (text === null) return fallback;
  if (!/^\d{1,9}$/.test(text))
    throw new BrokerError(conditions.invalidField, `SubCode=40000. ${name} is a whole number.`);
  return Math.min(Number(text), max);
};

/** One page of a list, with the address of the next. */
export const page = async <T>(
  request: AdministrationRequest,
  items: readonly T[],
  entriesOf: (shown: readonly T[]) => Promise<readonly Entry[]>,
): Promise<Answer> => {
  const skip = numberOf(request.query, "$skip", 0, Number.MAX_SAFE_INTEGER);
  const top = numberOf(request.query, "$top", pageMax, pageMax);
  const address = addressOf(request, request.path);
  const body = feedDocument({
    address,
    title: request.path,
    updatedAtMs: Date.now(),
    next:
      top > 0 && skip + top < items.length
        ? `${address}&$skip=${skip + top}&$top=${top}`
        : undefined,
    entries: await entriesOf(items.slice(skip, skip + top)),
  });
  return { status: 200, body };
};
