/** A partner in the cloud: its own client reads its subscription by a role, and no key is made. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { certificatePath } from "../../../local/broker/connections/certificate.js";
import { findPartnerByClient } from "../../../shared/database/access/partners.js";
import {
  administrationFixture,
  type AdministrationFixture,
} from "../../support/broker/administration.js";
import { connectionString } from "../../support/broker/broker.js";
import {
  startManagedIdentity,
  type ManagedIdentity,
} from "../../support/documents/managed-identity.js";
import { clientId, startFakeAzure, type FakeAzure } from "../../support/partners/fake-azure.js";
import { runPartner, type CommandPlace } from "../../support/partners/partner-command.js";
import { openWalletTest, type WalletTest } from "../../support/wallet/wallet-fixtures.js";

let azure: FakeAzure;
let identity: ManagedIdentity;
let broker: AdministrationFixture;
let wallets: WalletTest;
let place: CommandPlace;

beforeAll(async () => {
  [azure, identity, broker, wallets] = await Promise.all([
    startFakeAzure(),
    startManagedIdentity(),
    administrationFixture(),
    openWalletTest(),
  ]);
  const { resourceManagerUrl, graphUrl } = azure.place;
  place = {
    databaseUrl: wallets.url,
    // A namespace like any in the cloud, as far as its connection string tells.
    brokerConnectionString: connectionString(broker.broker.port).replace(
      "UseDevelopmentEmulator=true;",
      "",
    ),
    certificate: certificatePath(broker.certificateFolder),
    pause: async () => undefined,
    environment: {
      AZURE_SUBSCRIPTION_ID: "sub",
      AZURE_RESOURCE_GROUP: "group",
      AZURE_RESOURCE_MANAGER_URL: resourceManagerUrl,
      AZURE_GRAPH_URL: graphUrl,
    },
  };
});

afterAll(async () => {
  await Promise.all([azure.stop(), identity.stop(), broker.stop(), wallets.end()]);
});

const add = ["add", "cloudy", "--client-id", clientId] as const;

test("without the settings that say where the namespace is, nothing is made", async () => {
  const said = await runPartner({ ...place, environment: {} }, ...add);
  expect([said.code, said.complained]).toEqual([
    2,
    expect.stringMatching(/^The settings AZURE_SUBSCRIPTION_ID and AZURE_RESOURCE_GROUP must say/),
  ]);
  expect(await broker.administration.topicExists("cloudy")).toBe(false);
});

test("a role that cannot be given leaves nobody let in, and the next run finishes", async () => {
  azure.answerInstead({
    status: 403,
    body: { error: { code: "AuthorizationFailed", message: "No right." } },
  });
  const refused = await runPartner(place, ...add);
  expect([refused.code, refused.complained]).toEqual([
    2,
    expect.stringMatching(/AuthorizationFailed: No right\.\)\nPut that right, and run the same/),
  ]);
  expect(await findPartnerByClient(wallets.database, clientId)).toBeUndefined();

  azure.answerInstead(null);
  const done = await runPartner(place, ...add, "--json");
  expect([done.code, done.complained.split("\n")]).toEqual([
    0,
    [
      "The topic cloudy is there.",
      "The subscription cloudy is there.",
      `The client ${clientId} may read the subscription.`,
    ],
  ]);
  // The directory has the client's secret, and the role takes the place of a key.
  expect(JSON.parse(done.printed)).toMatchObject({ clientSecret: null, connectionString: null });
  const { authorizationRules = [] } = await broker.administration.getTopic("cloudy");
  expect(authorizationRules).toEqual([]);
  expect(await findPartnerByClient(wallets.database, clientId)).toMatchObject({
    partnerKey: "cloudy",
    clientSecretHash: null,
  });
  expect([...azure.assignments.keys()]).toEqual([
    expect.stringMatching(
      new RegExp(
        "^/subscriptions/sub/resourceGroups/group/providers/Microsoft\\.ServiceBus/namespaces/[^/]+" +
          "/topics/cloudy/subscriptions/cloudy/providers/Microsoft\\.Authorization/roleAssignments/",
      ),
    ),
  ]);
});

test("its removal takes the role back, which would hold again for a topic of the same name", async () => {
  const said = await runPartner(place, "remove", "cloudy", "--json");
  expect(z.object({ removal: z.string() }).parse(JSON.parse(said.printed)).removal).toBe("deleted");
  expect(azure.assignments.size).toBe(0);
  expect(await broker.administration.topicExists("cloudy")).toBe(false);
});
