/** The role that lets a partner's client read its subscription in Azure, against a stand-in for Graph and Resource Manager. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import {
  AzureRefusal,
  grantReceiving,
  revokeReceiving,
} from "../../../shared/events/receiver-role.js";
import {
  clientId,
  principalId,
  startFakeAzure,
  type FakeAzure,
} from "../../support/partners/fake-azure.js";

let azure: FakeAzure;

beforeAll(async () => {
  azure = await startFakeAzure();
});

afterAll(async () => {
  await azure.stop();
});

beforeEach(() => {
  azure.assignments.clear();
  azure.answerInstead(null);
});

const credential = { getToken: async (scope: string) => ({ token: `for ${scope}` }) };
const grant = (client = clientId) => grantReceiving(credential, azure.place, "acme", client);

const subscription =
  "/subscriptions/sub/resourceGroups/group/providers/Microsoft.ServiceBus/namespaces/bus" +
  "/topics/acme/subscriptions/acme";
const receiver =
  "/subscriptions/sub/providers/Microsoft.Authorization/roleDefinitions/4f6d3b9b-027b-4f4c-9142-0e5a2a2247e0";

test("the client's principal gets the receiver's role on its subscription alone, once however often it is given", async () => {
  expect(await grant()).toBe("granted");
  expect(await grant()).toBe("there");
  expect(azure.assignments.size).toBe(1);
  const [[path = "", body] = []] = azure.assignments;
  const [scope, name = ""] = path.split("/providers/Microsoft.Authorization/roleAssignments/");
  expect(scope).toBe(subscription);
  expect(z.uuid().safeParse(name.split("?")[0]).success).toBe(true);
  expect(name).toMatch(/\?api-version=2022-04-01$/);
  expect(body).toEqual({
    properties: { roleDefinitionId: receiver, principalId, principalType: "ServicePrincipal" },
  });
  const { origin } = new URL(azure.place.graphUrl);
  expect([...azure.authorizations]).toEqual([`Bearer for ${origin}/.default`]);
});

test("two partners' assignments have names of their own", async () => {
  await grant();
  await grantReceiving(credential, azure.place, "globex", clientId);
  expect(azure.assignments.size).toBe(2);
});

test("a role that somebody gave by hand is enough", async () => {
  azure.answerInstead({
    status: 409,
    body: { error: { code: "RoleAssignmentExists", message: "exists" } },
  });
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
  [
    "a page instead of an answer",
    clientId,
    { status: 502, body: "<html>" },
    /\(502, without a reason\)/,
  ],
  ["an answer that says nothing", clientId, { status: 500, body: {} }, /\(500, without a reason\)/],
])("%s is told in a sentence", async (_what, client, answer, sentence) => {
  azure.answerInstead(answer);
  const granted = grant(client);
  await expect(granted).rejects.toThrow(sentence);
  await expect(granted).rejects.toBeInstanceOf(AzureRefusal);
});

test("the role is taken back, and taking back what is gone is no failure", async () => {
  await grant();
  await revokeReceiving(credential, azure.place, "acme", clientId);
  expect(azure.assignments.size).toBe(0);
  await revokeReceiving(credential, azure.place, "acme", clientId);
  azure.answerInstead({
    status: 403,
    body: { error: { code: "AuthorizationFailed", message: "No." } },
  });
  await expect(revokeReceiving(credential, azure.place, "acme", clientId)).rejects.toThrow(
    `take the role to read the subscription from ${clientId} (403`,
  );
});

test("a client that the directory knows no more keeps nobody from being removed", async () => {
  await revokeReceiving(credential, azure.place, "acme", "00000000-0000-4000-8000-000000000000");
});
