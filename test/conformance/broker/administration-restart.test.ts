/** What clients made is there again after a restart; what the configuration declares is as it says. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fieldsOf } from "../../../local/broker/administration/descriptions.js";
import { steps } from "../../../local/broker/storage/schema.js";
import { startBroker } from "../../../local/broker/broker.js";
import { certificatePath, keepCertificate } from "../../../local/broker/connections/certificate.js";
import { administer, namesOf } from "../../support/broker/administration.js";
import {
  bodies,
  codeOf,
  connect,
  receiveExactly,
  testTopology,
} from "../../support/broker/broker.js";
import { rowsOf } from "../../support/database/connections.js";
import { createDatabase } from "../../support/database/database.js";

test("entities, their messages and rules outlive the broker; the configuration wins", async () => {
  const database = await createDatabase();
  const certificateFolder = await mkdtemp(join(tmpdir(), "broker-certificate-"));
  await keepCertificate(certificateFolder, Date.now());
  const ca = await readFile(certificatePath(certificateFolder), "utf8");
  const during = async (work: (port: number) => Promise<void>): Promise<void> => {
    const broker = await startBroker({
      connectionString: database.url,
      topology: testTopology,
      port: 0,
      certificateFolder,
    });
    await work(broker.port);
    await broker.stop();
  };

  await during(async (port) => {
    const administration = administer(port, ca);
    await administration.createTopic("made", {
      defaultMessageTimeToLive: "PT1H",
      authorizationRules: [
        {
          claimType: "SharedAccessKey",
          accessRights: ["Listen"],
          keyName: "made",
          primaryKey: "made-key",
        },
      ],
    });
    await administration.createSubscription("made", "s", { lockDuration: "PT30S" });
    await administration.deleteRule("made", "s", "$Default");
    await administration.createRule("made", "s", "mine", { sqlExpression: "size > 1" });
    await administration.createSubscription("news", "added", { forwardTo: "plain" });
    await administration.createQueue("short-lived");
    await administration.createQueue("short-lived/kept");
    await administration.deleteQueue("short-lived");
    await administration.deleteQueue("other");
    const brief = await administration.getQueue("brief");
    await administration.updateQueue({ ...brief, maxDeliveryCount: 9 });
    const client = connect(port);
    await client.createSender("made").sendMessages([
      { body: "kept", applicationProperties: { size: 2 } },
      { body: "passed over", applicationProperties: { size: 1 } },
    ]);
    await client.close();
  });

  await during(async (port) => {
    const administration = administer(port, ca);
    expect(await administration.getTopic("made")).toMatchObject({
      defaultMessageTimeToLive: "PT1H",
    });
    expect(await administration.getSubscription("made", "s")).toMatchObject({
      lockDuration: "PT30S",
    });
    expect(await namesOf(administration.listRules("made", "s"))).toEqual(["mine"]);
    expect((await administration.getSubscription("news", "added")).forwardTo).toMatch(/\/plain$/);
    expect(await administration.queueExists("short-lived")).toBe(false);
    expect(await administration.queueExists("short-lived/kept")).toBe(true);
    expect(await administration.queueExists("other")).toBe(true);
    expect((await administration.getQueue("brief")).maxDeliveryCount).toBe(2);
    const client = connect(port, { keyName: "made", key: "made-key" });
    const receiver = client.createReceiver("made", "s", { receiveMode: "receiveAndDelete" });
    expect(bodies(await receiveExactly(receiver, 1))).toEqual(["kept"]);
    await client.close();
    await administration.deleteTopic("made");
  });

  await during(async (port) => {
    expect(await administer(port, ca).topicExists("made")).toBe(false);
  });
  await database.drop();
  await rm(certificateFolder, { recursive: true });
});

test("entities of a version without authorization rules have none after the start, and can be given some", async () => {
  const database = await createDatabase();
  const certificateFolder = await mkdtemp(join(tmpdir(), "broker-certificate-"));
  await keepCertificate(certificateFolder, Date.now());
  const ca = await readFile(certificatePath(certificateFolder), "utf8");
  const before = steps.slice(0, 5);
  await rowsOf(
    database.url,
    `create schema broker;
     create table broker.schema_step (done integer not null);
     insert into broker.schema_step values (${before.length});
     ${before.join(";")};
     insert into broker.definition (path, kind, fields, created_at_ms, updated_at_ms)
     values ('yesterday', 'queue', '${JSON.stringify(fieldsOf("queue", {}))}', 1, 1)`,
  );
  const broker = await startBroker({
    connectionString: database.url,
    topology: testTopology,
    port: 0,
    certificateFolder,
  });
  const administration = administer(broker.port, ca);
  const yesterday = await administration.getQueue("yesterday");
  expect(yesterday.authorizationRules).toBeUndefined();
  await administration.updateQueue({
    ...yesterday,
    authorizationRules: [
      {
        claimType: "SharedAccessKey",
        accessRights: ["Send"],
        keyName: "today",
        primaryKey: "today-key",
      },
    ],
  });
  const client = connect(broker.port, { keyName: "today", key: "today-key", maxRetries: 0 });
  await client.createSender("yesterday").sendMessages({ body: 1 });
  expect(await codeOf(client.createReceiver("yesterday").peekMessages(1))).toBe(
    "UnauthorizedAccess",
  );
  await client.close();
  await broker.stop();
  await database.drop();
  await rm(certificateFolder, { recursive: true });
});
