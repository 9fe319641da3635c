/** Orders to the bank by file on a real database: each in one file and no more, wherever a process dies. */
import { randomUUID } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { takeRequest } from "../../../functions/bank/bank-files.js";
import { readIncomingFiles } from "../../../functions/bank/incoming-files.js";
import { writeOrderFiles } from "../../../functions/bank/order-files.js";
import type { Services } from "../../../functions/kit/services.js";
import { openBankFolder, type BankFolder } from "../../../shared/bank/files/folder.js";
import { BankOutcomeMessage } from "../../../shared/contracts/platform/bank-messages.js";
import { keepOrder } from "../../../shared/database/bank/orders.js";
import { requestBank } from "../../../shared/database/bank/requests.js";
import type { OutgoingMessage } from "../../../shared/events/service-bus.js";
import { noFaultPoints } from "../../../shared/platform/fault-points.js";
import { createLogger } from "../../../shared/platform/logger.js";
import { notification, statusReport } from "../../support/bank/bank-messages.js";
import { openBankTest, type BankTest } from "../../support/wallet/bank-fixtures.js";

const today = "2026-11-23";

let bank: BankTest;
let path: string;
let folder: BankFolder;
let sent: { destination: string; message: OutgoingMessage }[] = [];
beforeAll(async () => {
  bank = await openBankTest();
});
afterAll(() => bank.end());
beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), "borsello-orders-"));
  folder = await openBankFolder(path);
  sent = [];
});
afterEach(() => rm(path, { recursive: true, force: true }));

const logger = createLogger("error", () => undefined);
const bus: Pick<Services, "bus">["bus"] = {
  send: (destination, messages) => {
    sent.push(...messages.map((message) => ({ destination, message })));
    return Promise.resolve({ acknowledged: messages.length });
  },
  deadLetter: () => Promise.resolve(),
  ask: () => Promise.resolve(),
  close: () => Promise.resolve(),
};
const means = () => ({ database: bank.database, faults: noFaultPoints, logger, bus });

const outcomes = (): BankOutcomeMessage[] =>
  sent
    .filter(({ destination }) => destination === "bank-outcomes")
    .map(({ message }) => BankOutcomeMessage.parse(JSON.parse(message.body)));

const payment = async (payload: Readonly<Record<string, unknown>> = {}): Promise<string> => {
  const requestId = randomUUID();
  await requestBank(bank.database, {
    ...{ requestId, kind: "payment", partnerKey: "acme", walletId: null, mandateId: null },
    payload: {
      ...{ operationId: randomUUID(), creditorName: "Mario Rossi", amount: 12.34 },
      ...{ creditorIban: "IT60X0542811101000000123456", reason: "Withdrawal", ...payload },
    },
    notify: { instanceId: `payment-${requestId}`, event: "bankOutcome" },
  });
  return requestId;
};

/** What the trigger does with a request's message. */
const take = (requestId: string) =>
  takeRequest({ ...means(), config: { wallet: { collectionAccount: null } } }, requestId);

/** The end-to-end ids of each file that was handed over. */
const handedOver = async (): Promise<string[][]> => {
  const names = (await readdir(join(path, "out"))).filter((name) => !name.startsWith("."));
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(path, "out", name), "utf8");
      return [...text.matchAll(/<EndToEndId>(\w+)</g)].map(([, id = ""]) => id);
    }),
  );
};
const idOf = (requestId: string): string => requestId.replaceAll("-", "");

test("what is asked for twice, or again after silence, is in one file", async () => {
  const requestId = await payment();
  await take(requestId);
  await take(requestId);
  await writeOrderFiles(means(), folder, today);
  await take(requestId);
  await writeOrderFiles(means(), folder, today);
  expect((await handedOver()).flat().filter((id) => id === idOf(requestId))).toHaveLength(1);
});

test("what the bank has answered before is not asked by file", async () => {
  const requestId = await payment();
  await bank.database.execute(
    "update borsello.bank_request set status = 'Accepted' where request_id = $1",
    [requestId],
  );
  await take(requestId);
  await writeOrderFiles(means(), folder, today);
  expect(await handedOver()).toEqual([]);
});

test("what cannot be written is refused, and the bank is not asked", async () => {
  const requestId = await payment({ creditorName: "Иван" });
  await take(requestId);
  await writeOrderFiles(means(), folder, today);
  expect(await handedOver()).toEqual([]);
  expect(outcomes()).toEqual([
    {
      ...{ requestId, outcome: "refused", reasonCode: "OrderUnwritable" },
      ...{ transactionReference: null, bookingDate: null },
    },
  ]);
});

test("a request of nobody is left to a person", async () => {
  expect(await take(randomUUID())).toMatchObject({ reason: "RequestUnknown" });
});

test("partners, accounts and days have files of their own; a day that has passed is today", async () => {
  const order = async (partnerKey: string, iban: string, day: string): Promise<string> => {
    const requestId = await payment();
    const content = {
      ...{ endToEndId: idOf(requestId), cents: "100", creditorName: "A", remittance: "" },
      creditorIban: "IT60X0542811101000000123456",
    };
    const account = { name: "Acme", iban };
    await keepOrder(bank.database, {
      ...{ requestId, message: "creditTransfers", partnerKey, account, day, content },
    });
    return idOf(requestId);
  };
  const one = "IT83X0999903200ACME00000001";
  const ids = [
    await order("acme", one, "2026-11-20"),
    await order("acme", one, today),
    await order("acme", one, "2026-12-01"),
    await order("acme", "IT92Y0999903200ACME00000002", today),
    await order("globex", one, today),
  ];
  await writeOrderFiles(means(), folder, today);
  const files = await handedOver();
  expect(files).toHaveLength(4);
  expect(files).toContainEqual(expect.arrayContaining(ids.slice(0, 2)));
  expect(files.flat().sort()).toEqual(ids.sort());
});

/** A process that dies at this point leaves everything as it is. */
const dyingAt = (point: string) => ({
  hit: (reached: string) => {
    if (reached === point) throw new Error("killed");
  },
});

test.each(["bankFiles.written", "bankFiles.shown"])(
  "a death at %s leaves each order in one file, even where the bank has fetched it since",
  async (point) => {
    const requestIds = [await payment(), await payment()];
    for (const requestId of requestIds) await take(requestId);
    await expect(
      writeOrderFiles({ ...means(), faults: dyingAt(point) }, folder, today),
    ).rejects.toThrow("killed");
    const fetched = await handedOver();
    for (const name of await readdir(join(path, "out")))
      if (!name.startsWith(".")) await rm(join(path, "out", name));
    await writeOrderFiles(means(), folder, today);
    const files = [...fetched, ...(await handedOver())];
    expect(files.map((ids) => ids.sort())).toEqual([requestIds.map(idOf).sort()]);
  },
);

test("rounds that run at the same time hand each order over once", async () => {
  const requestIds = await Promise.all(Array.from({ length: 40 }, () => payment()));
  for (const requestId of requestIds) await take(requestId);
  await Promise.all(Array.from({ length: 4 }, () => writeOrderFiles(means(), folder, today)));
  await writeOrderFiles(means(), folder, today);
  expect((await handedOver()).flat().sort()).toEqual(requestIds.map(idOf).sort());
});

const put = async (name: string, content: string): Promise<void> => {
  await writeFile(join(path, "in", name), content);
};

const iban = "IT83X0999903200ACME00000001";

test("a rejected file is a refusal of each order in it, and a repeat of the report says nothing more", async () => {
  const requestIds = [await payment(), await payment()];
  for (const requestId of requestIds) await take(requestId);
  await writeOrderFiles(means(), folder, today);
  const [name = ""] = await readdir(join(path, "out"));
  const messageId = /-(\w+)\.xml$/.exec(name)?.[1] ?? "";
  const report = statusReport({ messageId, group: "RJCT", groupReason: "FF01" });
  await put("a.xml", report);
  await put("b.xml", report);
  await readIncomingFiles(means(), folder);
  expect(
    outcomes()
      .map(({ requestId, outcome, reasonCode }) => `${requestId} ${outcome} ${reasonCode ?? ""}`)
      .sort(),
  ).toEqual(requestIds.map((requestId) => `${requestId} refused FF01`).sort());
  expect((await readdir(join(path, "done"))).sort()).toHaveLength(2);
});

const Booked = z.object({ amount: z.number() });

/** What an entry that names a payment of 12.34 is told as. */
test.each([
  ["its debit is its booking", { amount: "12.34", direction: "DBIT" }, "booked"],
  [
    "its credit with a reason is its return",
    { amount: "12.34", direction: "CRDT", returnReason: "AC04" },
    "returned",
  ],
  [
    "a return is one though charges were kept",
    { amount: "11.34", direction: "CRDT", returnReason: "AC04" },
    "returned",
  ],
  [
    "a credit of somebody who knows its id is a credit",
    { amount: "12.34", direction: "CRDT" },
    "notified",
  ],
  ["a debit of another amount is for a person", { amount: "12.33", direction: "DBIT" }, "nothing"],
  [
    "what is not booked says nothing",
    { amount: "12.34", direction: "DBIT", status: "PDNG" },
    "nothing",
  ],
] as const)("%s", async (_, booking, told) => {
  const requestId = await payment();
  const bookings = [{ ...booking, endToEndId: idOf(requestId), reference: randomUUID() }];
  await put("n.xml", notification({ id: randomUUID(), iban, bookings }));
  await readIncomingFiles(means(), folder);
  const found = sent.map(({ destination, message }) =>
    destination === "bank-outcomes"
      ? BankOutcomeMessage.parse(JSON.parse(message.body)).outcome
      : Booked.parse(JSON.parse(message.body)).amount && "notified",
  );
  expect(found).toEqual(told === "nothing" ? [] : [told]);
});

test("equal transfers without any reference are two; the same file again is none", async () => {
  const booking = { amount: "5.00", direction: "CRDT" as const, reason: "equal" };
  const content = notification({ id: "N7", iban, bookings: [booking, booking] });
  await put("n.xml", content);
  await readIncomingFiles(means(), folder);
  await put("again.xml", content);
  await readIncomingFiles(means(), folder);
  const Referenced = z.object({ paymentGatewayReference: z.string() });
  const references = sent.map(
    ({ message }) => Referenced.parse(JSON.parse(message.body)).paymentGatewayReference,
  );
  expect(references).toEqual(["N7 1", "N7 2"]);
});

test("where the broker is away the file stays, and is read when it is back", async () => {
  const bookings = [{ amount: "5.00", direction: "CRDT" as const, reference: randomUUID() }];
  await put("n.xml", notification({ id: "N8", iban, bookings }));
  const away = {
    ...means(),
    bus: { ...bus, send: () => Promise.resolve({ acknowledged: 0, failure: "away" }) },
  };
  await expect(readIncomingFiles(away, folder)).rejects.toThrow("the broker");
  expect(await readdir(join(path, "in"))).toEqual(["n.xml"]);
  await readIncomingFiles(means(), folder);
  expect(sent).toHaveLength(1);
});

test("a file with a long name that cannot be read keeps no other waiting", async () => {
  const long = `a${"あ".repeat(83)}.xml`;
  const bookings = [{ amount: "5.00", direction: "CRDT" as const, reference: randomUUID() }];
  await put(long, "no message");
  await put("n.xml", notification({ id: "N9", iban, bookings }));
  await readIncomingFiles(means(), folder);
  expect(sent).toHaveLength(1);
  expect(await readdir(join(path, "in"))).toEqual([]);
  const failed = await readdir(join(path, "failed"));
  expect(failed.sort()).toEqual([
    expect.stringMatching(/^[0-9a-f]{12}-あ+\.xml$/),
    expect.stringMatching(/^[0-9a-f]{12}-あ+\.xml\.txt$/),
  ]);
});

test("files of one name that the platform cannot take are all kept, with a word on each", async () => {
  const broken = {
    ...means(),
    bus: { ...bus, send: () => Promise.reject(new Error("nobody expects this")) },
  };
  for (const id of ["N10", "N11"]) {
    const bookings = [{ amount: "5.00", direction: "CRDT" as const, reference: id }];
    await put("n.xml", notification({ id, iban, bookings }));
    await readIncomingFiles(broken, folder);
  }
  expect(await readdir(join(path, "in"))).toEqual([]);
  const failed = await readdir(join(path, "failed"));
  expect(failed.filter((name) => name.endsWith("-n.xml"))).toHaveLength(2);
  expect(failed.filter((name) => name.endsWith("-n.xml.txt"))).toHaveLength(2);
});
