/** Makes the HTTP requests that orchestrators ask for with callHttp. */
import { z } from "zod";

const Request = z.object({
  method: z.string(),
  uri: z.string(),
  content: z.string().nullish(),
  headers: z.record(z.string(), z.string()).nullish(),
});

interface HttpTaskResponse {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly content: string;
}

/** What lies behind "fetch failed": the words of the network, of the first address that was tried. */
const causeOf = (error: unknown): string => {
  if (error instanceof AggregateError && error.errors.length > 0) return causeOf(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message || error.name : causeOf(error.cause);
};

/** Addresses and headers may hold secrets, and what is thrown over them repeats them. */
const addressOf = (uri: string): URL => {
  if (!URL.canParse(uri)) throw new Error("The HTTP request has no address that can be read.");
  const url = new URL(uri);
  if (url.username !== "" || url.password !== "")
    throw new Error("The HTTP request's address may not hold a name and a password.");
  return url;
};

const headersOf = (headers: Readonly<Record<string, string>>): Headers => {
  const sent = new Headers();
  for (const [name, value] of Object.entries(headers))
    try {
      sent.append(name, value);
    } catch {
      throw new Error(`The HTTP request's header '${name}' is none that HTTP allows.`);
    }
  return sent;
};

/** Polling after a 202 is the library's work: it sets timers and asks again. */
export const callHttp = async (request: string): Promise<HttpTaskResponse> => {
  const { method, uri, content, headers } = Request.parse(JSON.parse(request));
  const url = addressOf(uri);
  const sent = headersOf(headers ?? {});
  const hasBody = typeof content === "string" && method.toUpperCase() !== "GET";
  if (hasBody && !sent.has("content-type")) sent.set("content-type", "text/plain; charset=utf-8");
  try {
    const response = await fetch(url, { method, headers: sent, ...(hasBody && { body: content }) });
    return {
      statusCode: response.status,
      headers: Object.fromEntries(response.headers),
      content: await response.text(),
    };
  } catch (error) {
    const what = `The HTTP request ${method} ${url.origin}`;
    throw new Error(`${what} failed: ${causeOf(error)}`, { cause: error });
  }
};
