/** Partners that are removed by the operators' command: who may go, what stays, and what a removal that is cut off leaves. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { findPartnerByClient } from "../../../shared/database/access/partners.js";
import { prepareSandbox } from "../../../shared/database/sandbox/preparation.js";
import { closeWallet, suspendWallet } from "../../../shared/database/wallet/states.js";
import { createWallet } from "../../../shared/database/wallet/wallets.js";
import { connectionString } from "../../support/broker/broker.js";
import { runPartner } from "../../support/partners/partner-command.js";
import { openAccount } from "../../support/card/cards.js";
import { openPartnerDesk, type PartnerDesk } from "../../support/partners/partner-desk.js";
import { made, someone } from "../../support/wallet/wallet-fixtures.js";

let desk: PartnerDesk;
/** A partner that no other test knows. */
let name: string;
beforeAll(async () => {
  desk = await openPartnerDesk();
});
afterAll(() => desk.end());
beforeEach(() => {
  name = desk.nextName();
});

const run = (...args: string[]) => desk.run(...args);
const add = (...options: string[]) => desk.add(name, ...options);
const client = () => desk.client(name);
const audited = () => desk.audited(name);

test("a broker that lets nobody look has no topic removed, and says no topic missing", async () => {
  await add();
  const stranger = connectionString(desk.broker.broker.port).replace(
    /SharedAccessKey=[^;]+/,
    "SharedAccessKey=another",
  );
  for (const command of ["remove", "show", "add"]) {
    const said = await runPartner(
      { ...desk.place, brokerConnectionString: stranger },
      ...[command, name],
    );
    expect([said.code, said.printed, said.complained]).toEqual([
      2,
      "",
      expect.stringMatching(/^It could not be done: Unauthorized access/),
    ]);
  }
  expect(await client()).toBeDefined();
  expect(await audited()).toEqual(["add"]);
  expect(await desk.broker.administration.topicExists(name)).toBe(true);
});

test("a removal without a broker shuts nobody out", async () => {
  await add();
  const { databaseUrl } = desk.place;
  const said = await runPartner({ databaseUrl, pause: async () => undefined }, "remove", name);
  expect([said.code, said.complained]).toEqual([
    2,
    expect.stringMatching(/^The setting ServiceBus is missing/),
  ]);
  expect(await client()).toBeDefined();
});

test("a removal that was cut off lets in again who did something meanwhile", async () => {
  await add("--dealers", `${name}-north`);
  const killed = async () => Promise.reject(new Error("killed"));
  expect((await runPartner({ ...desk.place, pause: killed }, "remove", name)).code).toBe(2);
  expect(await client()).toBeUndefined();
  const actor = { partnerKey: name, clientId: `${name}-client` };
  const given = { ...someone().owner, originatingDealerKey: `${name}-north` };
  made(await createWallet(desk.wallets.database, actor, given));
  const said = await run("remove", name);
  expect([said.code, said.complained]).toEqual([
    1,
    expect.stringContaining(`That came meanwhile: ${name} is let in again.`),
  ]);
  expect(await client()).toBeDefined();
  expect(await audited()).toEqual(["add", "remove", "keep"]);
});

test("what a partner did while it was being removed keeps it", async () => {
  await add("--dealers", `${name}-north`);
  const actor = { partnerKey: name, clientId: `${name}-client` };
  const given = { ...someone().owner, originatingDealerKey: `${name}-north` };
  const meanwhile = async () => void made(await createWallet(desk.wallets.database, actor, given));
  const said = await runPartner({ ...desk.place, pause: meanwhile }, "remove", name);
  expect([said.code, said.complained.split("\n")]).toEqual([
    1,
    [
      `The calls of ${name} are refused within five seconds.`,
      "It has 1 wallets that are not closed: close them.",
      "It has 1 messages that wait in the outbox: wait until they are sent.",
      `That came meanwhile: ${name} is let in again.`,
    ],
  ]);
  expect(await client()).toBeDefined();
  expect(await desk.broker.administration.topicExists(name)).toBe(true);
  expect(await audited()).toEqual(["add", "remove", "keep"]);
});

test("the operator stays, since what arrives for nobody lies in its books", async () => {
  expect(await run("remove", "platform")).toMatchObject({
    code: 1,
    complained: expect.stringMatching(/^It is the operator: /) as string,
  });
});

test("a partner of the sandbox that was removed does not come back with the next start", async () => {
  expect((await run("remove", "initech")).code).toBe(0);
  await prepareSandbox(desk.wallets.database);
  expect(await findPartnerByClient(desk.wallets.database, "initech-client")).toBeUndefined();
  expect((await run("show", "initech")).printed).toContain("initech, removed at ");
});

test("a partner that nothing names is gone without a trace, and its name is free", async () => {
  await add("--dealers", `${name}-north`);
  expect((await run("rotate-authkey", name, "--keep-old-for", "24h")).code).toBe(0);
  expect((await run("remove", name)).complained.split("\n")).toEqual([
    `The calls of ${name} are refused within five seconds.`,
    `The topic ${name} was deleted, with what was not read.`,
  ]);
  expect(await desk.broker.administration.topicExists(name)).toBe(false);
  expect((await run("show", name)).complained).toBe(`There is no partner ${name}.`);
  await add("--dealers", `${name}-north`);
});

test("a partner that had an event keeps its name: another would read its log", async () => {
  await add();
  // As a forced event leaves it, behind which there is no wallet.
  await desk.wallets.database.execute(
    `insert into borsello.partner_sequence (partner_key, last_sequence) values ($1, 1)`,
    [name],
  );
  expect((await run("remove", name)).printed).toContain("its books and events stay");
  expect((await run("add", name)).complained).toContain("choose another name");
  expect(await client()).toBeUndefined();
});

test("a partner with a card account stays until that is deleted", async () => {
  const { database } = desk.wallets;
  await add();
  const { accountId } = await openAccount(database, { partnerKey: name });
  expect(await run("remove", name)).toMatchObject({
    code: 1,
    complained: expect.stringContaining("1 card accounts that are not deleted") as string,
  });
  await database.execute(
    "update borsello.card_account set status = 'DELETED' where account_id = $1",
    [accountId],
  );
  expect((await run("remove", name)).printed).toContain("its books and events stay under its name");
});

test("a partner with an open wallet stays; once it is closed, its books outlive the partner", async () => {
  const { database } = desk.wallets;
  await add("--dealers", `${name}-north`);
  const actor = { partnerKey: name, clientId: `${name}-client` };
  const { owner } = someone();
  const given = { ...owner, originatingDealerKey: `${name}-north` };
  const { walletId } = made(await createWallet(database, actor, given));
  const sent = "update borsello.outbox set sent_at = now(), delivered_to = '{}'";
  await database.execute(sent);
  const refused = await run("remove", name);
  expect([refused.code, refused.complained]).toEqual([
    1,
    `It has 1 wallets that are not closed: close them.\nNothing of ${name} was changed.`,
  ]);
  expect(await desk.broker.administration.topicExists(name)).toBe(true);
  expect(await client()).toBeDefined();
  made(await suspendWallet(database, actor, walletId));
  made(await closeWallet(database, actor, walletId, { requiresZeroBalance: false }));
  expect((await run("remove", name)).complained).toMatch(/^It has \d+ messages that wait/);
  await database.execute(sent);
  expect((await run("remove", name)).printed).toContain("its books and events stay under its name");
  expect(await client()).toBeUndefined();
  expect((await run("show", name)).printed).toContain(`${name}, removed at `);
  expect(await audited()).toEqual(["add", "remove"]);
  // Once more: a run that was cut off is finished.
  expect((await run("remove", name)).code).toBe(0);
  expect(await desk.broker.administration.topicExists(name)).toBe(false);
  expect(await audited()).toEqual(["add", "remove"]);
  for (const [args, sentence] of [
    [["add"], "choose another name"],
    [["rotate-authkey", "--keep-old-for", "1h"], `${name} was removed.`],
    [["settings", "--set", "limits.maximumCents=1"], `There is no partner ${name}.`],
  ] as const) {
    const [command, ...options] = args;
    const said = await run(command, name, ...options);
    expect([said.code, said.complained]).toEqual([1, expect.stringContaining(sentence)]);
  }
});
