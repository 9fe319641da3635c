/** Who may administer the broker and what it bears; TLS, with the certificate that it makes for itself. */
import { execFile } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { readFile, stat, writeFile } from "node:fs/promises";
import { connect as connectTcp } from "node:net";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { promisify } from "node:util";
import { ServiceBusClient } from "@azure/service-bus";
import { afterAll, beforeAll, expect, test } from "vitest";
import { certificatePath, keepCertificate } from "../../../local/broker/connections/certificate.js";
import {
  administer,
  administrationFixture,
  type AdministrationFixture,
} from "../../support/broker/administration.js";
import { codeOf, connectionString, token } from "../../support/broker/broker.js";

let fixture: AdministrationFixture;
beforeAll(async () => {
  fixture = await administrationFixture();
});
afterAll(() => fixture.stop());

const url = (path: string): string => `http://127.0.0.1:${fixture.broker.port}/${path}`;
const rootToken = (path: string): string => token(url(path).toLowerCase());

const ask = async (
  path: string,
  init: { method?: string; body?: string; headers?: Record<string, string> } = {},
): Promise<readonly [number, string]> => {
  const response = await fetch(url(path), {
    ...init,
    headers: { authorization: rootToken(""), ...init.headers },
  });
  return [response.status, await response.text()];
};

const describe = (content: string): string =>
  `<entry xmlns="http://www.w3.org/2005/Atom"><content type="application/xml">${content}</content></entry>`;

const queue = (fields: string): string =>
  describe(`<QueueDescription>${fields}</QueueDescription>`);

test("who administers shows a token by a key that may, for what it names and while it holds", async () => {
  const { broker, ca } = fixture;
  const stranger = administer(broker.port, ca, "another key");
  expect(await codeOf(stranger.getQueue("plain"))).toBe("UnauthorizedRequestError");
  const statusWith = async (authorization: string): Promise<number> =>
    (await ask("plain", { headers: { authorization } }))[0];
  const partner = rootToken("").replace("RootManageSharedAccessKey", "partner");
  const refused = [
    "",
    "Bearer abc",
    partner,
    token(url(""), { lifeS: -10 }),
    rootToken("other"),
    token(url("plain"), { key: "wrong" }),
  ];
  for (const authorization of refused) expect(await statusWith(authorization)).toBe(401);
  for (const authorization of [rootToken("plain"), rootToken("plain?api-version=2021-05")])
    expect(await statusWith(authorization)).toBe(200);
  expect((await ask("plain", { headers: { origin: "https://somewhere.example" } }))[0]).toBe(403);
});

test.each<[string, string, number, string]>([
  ["no XML", "{}", 400, "body is not valid"],
  ["an empty body", "", 400, "body is not valid"],
  ["a document type", `<!DOCTYPE a [<!ENTITY e "x">]>${queue("")}`, 400, "document type"],
  ["an entity", queue("<UserMetadata>&e;</UserMetadata>"), 400, "body is not valid"],
  ["deep nesting", "<a>".repeat(20) + "</a>".repeat(20), 400, "deep"],
  ["many elements", queue("<a/>".repeat(6_000)), 400, "more than 5000 elements"],
  ["a large body", queue("x".repeat(300_000)), 413, "262144 bytes"],
  ["no description", describe("<Other/>"), 400, "describes no entity"],
  ["another entity's", describe("<SubscriptionDescription/>"), 400, "describes no entity"],
  ["a wrong number", queue("<MaxDeliveryCount>0</MaxDeliveryCount>"), 400, "MaxDeliveryCount"],
  ["a wrong time", queue("<LockDuration>1 minute</LockDuration>"), 400, "LockDuration"],
  ["a long lock", queue("<LockDuration>PT6M</LockDuration>"), 400, "to PT5M"],
  [
    "forwarding to nothing",
    queue("<ForwardTo>sb://h/no</ForwardTo>"),
    400,
    "there is no queue or topic",
  ],
  ["forwarding to itself", queue("<ForwardTo>plain</ForwardTo>"), 409, "already exists"],
])("a description with %s is refused with a sentence", async (_, body, status, told) => {
  const path = told === "already exists" ? "plain" : "wanted";
  expect(await ask(path, { method: "PUT", body })).toEqual([status, expect.stringContaining(told)]);
  expect((await ask("wanted"))[0]).toBe(404);
});

test("names that are none, lists that are not there and other methods are refused", async () => {
  const statusOf = async (path: string, method = "GET"): Promise<number> =>
    (await ask(path, { method, ...(method === "PUT" ? { body: queue("") } : {}) }))[0];
  for (const path of ["a//b", "-a", "a%20b", "a/subscriptions/", "x".repeat(261), "$a", "%00", "%"])
    expect([path, await statusOf(path, "PUT")]).toEqual([
      path,
      expect.toSatisfy((status: number) => status === 400 || status === 404),
    ]);
  expect(await statusOf("plain", "POST")).toBe(405);
  expect(await statusOf("$Resources/Widgets")).toBe(404);
  expect(await statusOf("nothing/Subscriptions")).toBe(404);
  expect(await statusOf("$Resources/Queues?$skip=-1")).toBe(400);
});

test("an update is refused where somebody else was faster", async () => {
  const first = await fetch(url("plain"), { headers: { authorization: rootToken("") } });
  const eTag = first.headers.get("etag") ?? "";
  const update = async (ifMatch: string): Promise<number> =>
    (await ask("plain", { method: "PUT", body: queue(""), headers: { "if-match": ifMatch } }))[0];
  expect(await update(eTag)).toBe(200);
  expect(await update(eTag)).toBe(412);
  expect(await update("*")).toBe(200);
});

test("a plain connection string speaks AMQP over TLS on the same port", async () => {
  const { broker, certificateFolder } = fixture;
  // As a client would be started: it trusts the certificate by its environment alone.
  const script = `
    const { ServiceBusClient, ServiceBusAdministrationClient } = await import("@azure/service-bus");
    const [text] = process.argv.slice(1);
    const administration = new ServiceBusAdministrationClient(text);
    await administration.createQueue("over-tls");
    const client = new ServiceBusClient(text);
    await client.createSender("over-tls").sendMessages({ body: "sealed" });
    const [message] = await client.createReceiver("over-tls").receiveMessages(1);
    console.log(message.body);
    await client.close();
    const customEndpointAddress = new URL(text.match(/sb:[^;]*/)[0]).href;
    const elsewhere = text.replace(/sb:[^;]*/, "sb://acme.servicebus.windows.net/");
    const around = new ServiceBusClient(elsewhere, { customEndpointAddress, retryOptions: { maxRetries: 0, timeoutInMs: 5000 } });
    await around.createSender("over-tls").sendMessages({ body: "around" });
    console.log("around");
    await around.close();`;
  const plain = `Endpoint=sb://localhost:${broker.port};SharedAccessKeyName=RootManageSharedAccessKey;SharedAccessKey=SAS_KEY_VALUE`;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--input-type=module", "-e", script, plain],
    { env: { ...process.env, NODE_EXTRA_CA_CERTS: certificatePath(certificateFolder) } },
  );
  expect(stdout).toBe("sealed\naround\n");
});

test("who does not trust the certificate does not connect, and harms nobody", async () => {
  const { broker, client } = fixture;
  const distrustful = new ServiceBusClient(
    connectionString(broker.port).replace("UseDevelopmentEmulator=true;", ""),
    { retryOptions: { maxRetries: 0, timeoutInMs: 5000 } },
  );
  await expect(distrustful.createSender("plain").sendMessages({ body: 1 })).rejects.toThrow();
  await distrustful.close();
  const half = connectTcp(broker.port, "127.0.0.1");
  half.write(Buffer.from([0x16, 0x03, 0x01, 0xff, 0xff, 1, 2, 3]));
  const broken = connectTcp(broker.port, "127.0.0.1");
  broken.end(Buffer.from([0x16, 0x03]));
  const within = connectTls({ port: broker.port, host: "127.0.0.1", rejectUnauthorized: false });
  await once(within, "secureConnect");
  within.destroy();
  await client.createSender("other").sendMessages({ body: 1 });
  half.destroy();
});

test("the key is its owner's alone; the certificate stays until its end is near", async () => {
  const { certificateFolder: folder, ca } = fixture;
  const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;
  expect(await modeOf(join(folder, "key.pem"))).toBe(0o600);
  expect(await modeOf(folder)).toBe(0o700);
  const certificate = new X509Certificate(ca);
  expect(certificate.subjectAltName).toContain("DNS:localhost, IP Address:127.0.0.1");
  const endMs = Date.parse(certificate.validTo);
  const day = 86_400_000;
  expect((await keepCertificate(folder, Date.now())).certificate).toBe(ca);
  expect((await keepCertificate(folder, endMs - 31 * day)).certificate).toBe(ca);
  const renewed = await keepCertificate(folder, endMs - 29 * day);
  expect(renewed.certificate).not.toBe(ca);
  expect(await readFile(certificatePath(folder), "utf8")).toBe(renewed.certificate);
  // Cut off, or with another's key, it is made anew.
  await writeFile(join(folder, "key.pem"), renewed.key.slice(0, 50));
  const mended = await keepCertificate(folder, endMs - 29 * day);
  expect(mended.certificate).not.toBe(renewed.certificate);
  expect(await modeOf(join(folder, "key.pem"))).toBe(0o600);
});
