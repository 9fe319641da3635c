/** One request and its answer over HTTP, no more of it than a bound, redirects not followed. */
import { request as requestByHttp, type Agent } from "node:http";
import { request as requestByHttps } from "node:https";

const answerBytesMax = 65_536;

export interface HttpRequest {
  readonly url: URL;
  /** Of the protocol of the address; it looks names up, too. */
  readonly agent: Agent;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface HttpAnswer {
  readonly status: number;
  readonly text: string;
}

export interface Exchange {
  /** Rejects where no whole answer comes. */
  readonly answer: Promise<HttpAnswer>;
  /** Whether the request went out whole: from then on the other side may act on it. */
  readonly wasSent: () => boolean;
  readonly abort: () => void;
}

/** POSTs the body. Whoever does not wait for the answer aborts it: nothing else ends it. */
export const post = ({ url, agent, headers, body }: HttpRequest): Exchange => {
  const begin = url.protocol === "https:" ? requestByHttps : requestByHttp;
  const bytes = Buffer.from(body);
  const sent = begin(url, {
    agent,
    method: "POST",
    headers: {
      Accept: "application/json",
      ...headers,
      "Content-Length": String(bytes.byteLength),
    },
  });
  let wasSent = false;
  sent.once("finish", () => {
    wasSent = true;
  });
  const answer = new Promise<HttpAnswer>((resolve, reject) => {
    sent.on("error", reject);
    sent.once("response", (response) => {
      wasSent = true;
      const pieces: Buffer[] = [];
      let length = 0;
      response.on("error", reject);
      response.on("data", (piece: Buffer) => {
        length += piece.byteLength;
        if (length > answerBytesMax)
          sent.destroy(new Error(`the answer has more than ${answerBytesMax} bytes`));
        else pieces.push(piece);
      });
      response.once("end", () => {
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(pieces).toString() });
      });
      response.once("close", () => {
        reject(new Error("the answer broke off"));
      });
    });
  });
  sent.end(bytes);
  return {
    answer,
    wasSent: () => wasSent,
    abort: () => void sent.destroy(new Error("nobody waits for the answer any more")),
  };
};
