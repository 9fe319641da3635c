/** The role that lets a partner's client read its subscription in Azure, against a stand-in for Graph and Resource Manager. */
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import {
  AzureRefusal,
  grantReceiving,
  revokeReceiving,
  type AzurePlace,
} from "../../../shared/events/receiver-role.js";

const principalId = "0f6d5d0c-5f3f-4d6b-9f0e-2f4f8e2b7a11";
const clientId = "7d9f2a54-0a3f-4b6e-8a53-6f2f9f0d1c22";

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly authorization: string;
  readonly body: unknown;
}

let server: Server;
let place: AzurePlace;
let asked: Asked[];
/** Assignments by their paths. */
let assignments: Map<string, unknown>;
/** What Resource Manager answers instead; null: it does as it is told. */
let instead: { readonly status: number; readonly body: object } | null;

const answerGraph = (path: string) =>
  path.includes(clientId)
    ? { status: 200, body: { id: principalId } }
    : { status: 404, body: { error: { code: "Request_ResourceNotFound", message: "none" } } };

const answerManager = (method: string, path: string, body: unknown) => {
  if (instead !== null) return instead;
  const isThere = assignments.has(path);
  if (method === "DELETE") {
    assignments.delete(path);
    return { status: isThere ? 200 : 204, body: {} };
  }
  assignments.set(path, body);
  return { status: isThere ? 200 : 201, body: {} };
};

beforeAll(async () => {
  server = createServer((request, response) => {
    void text(request).then((written) => {
      const { method = "", url: path = "", headers } = request;
      const body = written === "" ? null : (JSON.parse(written) as unknown);
      asked.push({ method, path, authorization: headers.authorization ?? "", body });
      const answer = path.startsWith("/v1.0/")
        ? answerGraph(path)
        : answerManager(method, path, body);
      response.writeHead(answer.status, { "content-type": "application/json" });
      response.end(answer.status === 204 ? "" : JSON.stringify(answer.body));
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const own = `http://127.0.0.1:${port}`;
  place = {
    ...{ subscriptionId: "sub", resourceGroup: "group", namespace: "bus" },
    ...{ resourceManagerUrl: own, graphUrl: own },
  };
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

beforeEach(() => {
  asked = [];
  assignments = new Map();
  instead = null;
});

const credential = { getToken: async (scope: string) => ({ token: `for ${scope}` }) };
const grant = (client = clientId) => grantReceiving(credential, place, "acme", client);

const subscription =
  "/subscriptions/sub/resourceGroups/group/providers/Microsoft.ServiceBus/namespaces/bus" +
  "/topics/acme/subscriptions/acme";
const receiver =
  "/subscriptions/sub/providers/Microsoft.Authorization/roleDefinitions/4f6d3b9b-027b-4f4c-9142-0e5a2a2247e0";

test("the client's principal gets the receiver's role on its subscription alone, once however often it is given", async () => {
  expect(await grant()).toBe("granted");
  expect(await grant()).toBe("there");
  expect(assignments.size).toBe(1);
  const [[path = "", body] = []] = assignments;
  const [scope, name = ""] = path.split("/providers/Microsoft.Authorization/roleAssignments/");
  expect(scope).toBe(subscription);
  expect(z.uuid().safeParse(name.split("?")[0]).success).toBe(true);
  expect(name).toMatch(/\?api-version=2022-04-01$/);
  expect(body).toEqual({
    properties: { roleDefinitionId: receiver, principalId, principalType: "ServicePrincipal" },
  });
  const origin = new URL(place.graphUrl).origin;
  expect(new Set(asked.map(({ authorization }) => authorization))).toEqual(
    new Set([`Bearer for ${origin}/.default`]),
  );
});

test("two partners' assignments have names of their own", async () => {
  await grant();
  await grantReceiving(credential, place, "globex", clientId);
  expect(assignments.size).toBe(2);
});

test("a role that somebody gave by hand is enough", async () => {
  instead = { status: 409, body: { error: { code: "RoleAssignmentExists", message: "exists" } } };
  expect(await grant()).toBe("there");
});

test.each([
  [
    "a client that the directory does not know",
    "other",
    null,
    /service principal.*az ad sp create --id other/,
  ],
  [
    "somebody who may not assign roles",
    clientId,
    { status: 403, body: { error: { code: "AuthorizationFailed", message: "No right." } } },
    /give .* the role to read the subscription \(403, AuthorizationFailed: No right\.\)/,
  ],
  ["an answer that says nothing", clientId, { status: 500, body: {} }, /\(500, without a reason\)/],
])("%s is told in a sentence", async (_what, client, answer, sentence) => {
  instead = answer;
  const granted = grant(client);
  await expect(granted).rejects.toThrow(sentence);
  await expect(granted).rejects.toBeInstanceOf(AzureRefusal);
});

test("the role is taken back, and taking back what is gone is no failure", async () => {
  await grant();
  await revokeReceiving(credential, place, "acme", clientId);
  expect(assignments.size).toBe(0);
  await revokeReceiving(credential, place, "acme", clientId);
  instead = { status: 403, body: { error: { code: "AuthorizationFailed", message: "No." } } };
  await expect(revokeReceiving(credential, place, "acme", clientId)).rejects.toThrow(
    `take the role to read the subscription from ${clientId} (403`,
  );
});
