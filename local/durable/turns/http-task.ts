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

/** Polling after a 202 is the library's work: it sets timers and asks again. */
export const callHttp = async (request: string): Promise<HttpTaskResponse> => {
  const { method, uri, content, headers } = Request.parse(JSON.parse(request));
  const sent = new Headers(headers ?? {});
  const hasBody = typeof content === "string" && method.toUpperCase() !== "GET";
  if (hasBody && !sent.has("content-type")) sent.set("content-type", "text/plain; charset=utf-8");
  const response = await fetch(uri, {
    method,
    headers: sent,
    ...(hasBody && { body: content }),
  });
  return {
    statusCode: response.status,
    headers: Object.fromEntries(response.headers),
    content: await response.text(),
  };
};
