/** An affiliate's endpoint on this machine: answers as it is told to, and keeps what it was asked. */
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { z } from "zod";
import type { O2iMessage } from "../../../shared/contracts/authorisations/affiliate.js";

const Body = z.looseObject({
  transactionId: z.string(),
  refTransactionId: z.string().nullable().optional(),
});

export interface AskedOf {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: z.output<typeof Body>;
}

export type Behaviour = (response: ServerResponse, asked: AskedOf) => void | Promise<void>;

export interface FakeAffiliate {
  readonly url: string;
  readonly asked: readonly AskedOf[];
  readonly connections: () => number;
  readonly behave: (behaviour: Behaviour) => void;
  readonly stop: () => Promise<void>;
}

let requests = 0;

/** A request that nobody has made before. */
export const someRequest = (): O2iMessage => {
  requests += 1;
  const unset = { refTransactionId: null, authorizationCode: null, responseCode: null };
  const payment = { transactionId: `trx-${requests}`, billingAmount: 12.5 };
  return { ...unset, ...payment };
};

export const answerJson = (response: ServerResponse, body: object, status = 200): void => {
  response.writeHead(status, { "Content-Type": "application/json" });
  response.end(JSON.stringify(body));
};

export const answerOf = (transactionId: string, responseCode = "00") => ({
  ...{ transactionId, responseCode, availableBalance: 70.25, accountCurrency: 978 },
});

export const approving: Behaviour = (response, { body }) => {
  answerJson(response, answerOf(body.transactionId));
};

/** As `behave` said after so many milliseconds. */
export const after =
  (waitMs: number, behave: Behaviour = approving): Behaviour =>
  (response, asked) =>
    void setTimeout(() => void behave(response, asked), waitMs).unref();

export const startFakeAffiliate = async (first: Behaviour = approving): Promise<FakeAffiliate> => {
  const asked: AskedOf[] = [];
  let behaviour = first;
  let connections = 0;
  const server = createServer((request, response) => {
    void (async () => {
      const { headers, url: path = "" } = request;
      const content = await text(request).catch(() => "");
      const isJson = headers["content-type"] === "application/json";
      const body = isJson ? Body.parse(JSON.parse(content)) : { transactionId: "" };
      const one = { path, headers, text: content, body };
      asked.push(one);
      await behaviour(response, one);
    })();
  });
  server.on("connection", () => (connections += 1));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/o2i`,
    asked,
    connections: () => connections,
    behave: (next) => void (behaviour = next),
    stop: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
};
