/** Stands for Microsoft Graph and Azure Resource Manager: one client in the directory, and the roles that were given. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { AzurePlace } from "../../../shared/events/receiver-role.js";

export const principalId = "0f6d5d0c-5f3f-4d6b-9f0e-2f4f8e2b7a11";
/** The one that the directory knows. */
export const clientId = "7d9f2a54-0a3f-4b6e-8a53-6f2f9f0d1c22";

export interface FakeAnswer {
  readonly status: number;
  /** A text is sent as it is. */
  readonly body: object | string;
}

export interface FakeAzure {
  readonly place: AzurePlace;
  /** What calls were authorized by. */
  readonly authorizations: Set<string>;
  /** Bodies of the assignments that hold, by their paths. */
  readonly assignments: Map<string, unknown>;
  /** What Resource Manager answers instead; null: it does as it is told. */
  answerInstead(answer: FakeAnswer | null): void;
  stop(): Promise<void>;
}

const answerGraph = (path: string): FakeAnswer =>
  path.includes(clientId)
    ? { status: 200, body: { id: principalId } }
    : { status: 404, body: { error: { code: "Request_ResourceNotFound", message: "none" } } };

export const startFakeAzure = async (): Promise<FakeAzure> => {
  const authorizations = new Set<string>();
  const assignments = new Map<string, unknown>();
  let instead: FakeAnswer | null = null;

  const answerManager = (method: string, path: string, body: unknown): FakeAnswer => {
    if (instead !== null) return instead;
    const isThere = assignments.has(path);
    if (method === "DELETE") {
      assignments.delete(path);
      return { status: isThere ? 200 : 204, body: {} };
    }
    assignments.set(path, body);
    return { status: isThere ? 200 : 201, body: {} };
  };

  const server = createServer((request, response) => {
    void text(request).then((written) => {
      const { method = "", url: path = "", headers } = request;
      const body = written === "" ? null : (JSON.parse(written) as unknown);
      authorizations.add(headers.authorization ?? "");
      const isGraph = path.startsWith("/v1.0/");
      const answer = isGraph ? answerGraph(path) : answerManager(method, path, body);
      response.writeHead(answer.status, { "content-type": "application/json" });
      const { status, body: said } = answer;
      response.end(status === 204 ? "" : typeof said === "string" ? said : JSON.stringify(said));
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const own = `http://127.0.0.1:${port}`;
  return {
    place: {
      ...{ subscriptionId: "sub", resourceGroup: "group", namespace: "bus" },
      ...{ resourceManagerUrl: own, graphUrl: own },
    },
    authorizations,
    assignments,
    answerInstead: (answer) => (instead = answer),
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
};
