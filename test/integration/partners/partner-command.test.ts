/** The operators' command for partners on a database and a broker: what it makes, refuses, finishes and leaves. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { findPartnerByClient } from "../../../shared/database/access/partners.js";
import { setIban } from "../../../shared/database/onboarding/ibans.js";
import { prepareSandbox } from "../../../shared/database/sandbox/preparation.js";
import { createWallet } from "../../../shared/database/wallet/wallets.js";
import { suspendWallet, closeWallet } from "../../../shared/database/wallet/states.js";
import { secretMatches } from "../../../shared/platform/secrets.js";
import { certificatePath } from "../../../local/broker/connections/certificate.js";
import {
  administrationFixture,
  type AdministrationFixture,
} from "../../support/broker/administration.js";
import { connectionString } from "../../support/broker/broker.js";
import {
  runPartner,
  type CommandPlace,
  type Said,
} from "../../support/partners/partner-command.js";
import {
  acme,
  ibanOf,
  made,
  openWallet,
  openWalletTest,
  someone,
  type WalletTest,
} from "../../support/wallet/wallet-fixtures.js";

let broker: AdministrationFixture;
let wallets: WalletTest;
let place: CommandPlace;
let names = 0;
/** A partner that no other test knows. */
let name: string;

beforeAll(async () => {
  [broker, wallets] = await Promise.all([administrationFixture(), openWalletTest()]);
  place = {
    databaseUrl: wallets.url,
    brokerConnectionString: connectionString(broker.broker.port),
    certificate: certificatePath(broker.certificateFolder),
    // Nobody calls here.
    pause: async () => undefined,
  };
});

afterAll(async () => {
  await broker.stop();
  await wallets.end();
});

beforeEach(() => {
  names += 1;
  name = `partner-${names}`;
});

const run = (...args: string[]): Promise<Said> => runPartner(place, ...args);

const Added = z.object({
  authKey: z.string(),
  clientSecret: z.string(),
  connectionString: z.string(),
});

const add = async (...options: string[]) => {
  const { code, printed, complained } = await run("add", name, ...options, "--json");
  expect([code, complained]).toEqual([0, expect.stringContaining(`The topic ${name} was made.`)]);
  return Added.parse(JSON.parse(printed));
};

const client = () => findPartnerByClient(wallets.database, `${name}-client`);

const audited = async (): Promise<string[]> => {
  const rows = await wallets.database.rows(
    z.object({ action: z.string() }),
    `select action from borsello.audit where entity = 'Partner' and entity_id = $1
     order by audit_id`,
    [name],
  );
  return rows.map(({ action }) => action);
};

test("a partner gets its client, its secrets as hashes, and a topic as the platform's own are", async () => {
  const iban = someone().iban;
  const { authKey, clientSecret } = await add(
    ...["--dealers", `${name}-north,${name}-south`, "--roles", "Wallet.Read,Wallet.Write"],
    ...["--collection-iban", iban],
  );
  const found = await client();
  if (found?.clientSecretSalt == null || found.clientSecretHash === null) throw new Error("none");
  expect(secretMatches(authKey, found.authKeySalt, found.authKeyHash)).toBe(true);
  expect(secretMatches(clientSecret, found.clientSecretSalt, found.clientSecretHash)).toBe(true);
  expect(found).toMatchObject({
    roles: ["Wallet.Read", "Wallet.Write"],
    isOperator: false,
    settings: { ibanVerification: { destinationIban: iban } },
  });
  expect(await broker.administration.getTopic(name)).toMatchObject({
    requiresDuplicateDetection: true,
    duplicateDetectionHistoryTimeWindow: "PT10M",
    defaultMessageTimeToLive: "P14D",
  });
  expect(await broker.administration.getSubscription(name, name)).toMatchObject({
    lockDuration: "PT1M",
    maxDeliveryCount: 10,
    defaultMessageTimeToLive: "P14D",
    deadLetteringOnMessageExpiration: true,
    requiresSession: false,
  });
  const { printed } = await run("show", name);
  for (const shown of [`${name}-north, ${name}-south`, "0 messages wait, 0 dead letters", iban])
    expect(printed).toContain(shown);
  for (const secret of [authKey, clientSecret]) expect(printed).not.toContain(secret);
  expect(await audited()).toEqual(["add"]);
});

test("run again, it finishes what was half made, adds dealers, and shows no secret a second time", async () => {
  const half = await run("add", name, "--dealers", `${name}-north`, "--json");
  const { authKey } = Added.parse(JSON.parse(half.printed));
  await broker.administration.deleteSubscription(name, name);
  const again = await run("add", name, "--dealers", `${name}-north,${name}-south`, "--json");
  expect(again).toMatchObject({
    code: 0,
    complained: `The topic ${name} is there.\nThe subscription ${name} was made.`,
  });
  // The broker keeps this key itself, and gives it again to whoever administers it.
  const { connectionString: own } = Added.parse(JSON.parse(half.printed));
  expect(own).toContain(`;SharedAccessKeyName=${name};SharedAccessKey=`);
  expect(JSON.parse(again.printed)).toMatchObject({ isNew: false, connectionString: own });
  expect(again.printed).not.toMatch(/authKey|clientSecret/);
  const found = await client();
  expect(found && secretMatches(authKey, found.authKeySalt, found.authKeyHash)).toBe(true);
  expect((await run("show", name)).printed).toContain(`${name}-north, ${name}-south`);
  expect(await audited()).toEqual(["add", "addDealers"]);
});

test("a topic that was made before its partner was kept is taken for the partner's", async () => {
  await broker.administration.createTopic(name, { requiresDuplicateDetection: true });
  const { code, complained } = await run("add", name);
  expect([code, complained.split("\n")]).toEqual([
    0,
    [
      `The topic ${name} is there.`,
      `The topic ${name} has a key for its partner.`,
      `The subscription ${name} was made.`,
    ],
  ]);
});

test("a topic that cannot be the partner's is refused before anybody is let in", async () => {
  await broker.administration.createTopic(name, {});
  const { code, complained } = await run("add", name);
  expect([code, complained]).toEqual([
    1,
    expect.stringContaining(`The topic ${name} does not look for duplicates`),
  ]);
  expect(await client()).toBeUndefined();
});

test.each([
  ["a name of the platform's own", ["platform-events"], 2, "is the name of a queue or topic"],
  ["capital letters", ["Acme"], 2, "must be small letters"],
  ["a name that no subscription can have", ["a".repeat(51)], 2, "must have at most 50 characters"],
  ["no name", [], 2, "The partner's NAME is missing."],
  ["an unknown role", ["x", "--roles", "Wallet.Delete"], 2, "There is no role Wallet.Delete"],
  ["an operator's role", ["x", "--roles", "Ticket.Operate"], 2, "is for --operator alone"],
  ["an unsound IBAN", ["x", "--collection-iban", "IT60X0542811101000000123457"], 2, "sound IBAN"],
  [
    "another's client",
    ["x", "--client-id", "acme-client"],
    1,
    "The client id acme-client is acme's",
  ],
  ["another's dealer", ["x", "--dealers", "dealer-rome"], 1, "The dealer dealer-rome is acme's."],
  [
    "another's collection account",
    ["x", "--collection-iban", "IT83X0999903200ACME00000001"],
    1,
    "The collection account IT83X0999903200ACME00000001 is acme's.",
  ],
  ["a second operator", ["x", "--operator"], 1, "platform is the operator."],
  ["an option that is none", ["x", "--colour", "red"], 2, "--colour"],
])("%s is refused with a sentence, and nothing is made", async (_what, args, code, sentence) => {
  const said = await run("add", ...args);
  expect([said.code, said.printed]).toEqual([code, ""]);
  expect(said.complained).toContain(sentence);
  const [partner = "x"] = args;
  expect((await run("show", partner)).complained).toBe(`There is no partner ${partner}.`);
  if (code === 1) expect(await broker.administration.topicExists("x")).toBe(false);
});

test("what is asked for otherwise than it is there is refused, and stays as it is", async () => {
  await add("--roles", "read");
  const other = ["--roles", "all", "--client-id", "other", "--operator"];
  const { code, complained } = await run("add", name, ...other, "--collection-owner", "Acme");
  expect(code).toBe(1);
  expect(complained.split("\n")).toEqual([
    `${name} is there, with the client id ${name}-client.`,
    expect.stringMatching(/ is there, with the roles Wallet\.Read, /),
    `${name} is there, and no operator.`,
    expect.stringContaining(" is there, with another ibanVerification.destinationOwner: "),
  ]);
});

test.each([
  [
    "a database that is away",
    () => ({ ...place, databaseUrl: "postgres://a:b@127.0.0.1:1/c" }),
    /ECONNREFUSED/,
  ],
  [
    "a broker that nobody vouches for",
    () => ({ ...place, certificate: "package.json" }),
    /--broker-certificate: npm start prints the file/,
  ],
  ["no broker", () => ({ databaseUrl: place.databaseUrl }), /^The setting ServiceBus is missing/],
])("%s is told in a sentence, and nothing is made", async (_what, where, sentence) => {
  const said = await runPartner(where(), "add", name);
  expect([said.code, said.complained]).toEqual([2, expect.stringMatching(sentence)]);
  expect(await client()).toBeUndefined();
});

test("two at once who want the same account get it once", async () => {
  const iban = someone().iban;
  const [one, other] = await Promise.all(
    ["a", "b"].map((letter) => run("add", `${name}-${letter}`, "--collection-iban", iban)),
  );
  expect([one?.code, other?.code].sort()).toEqual([0, 1]);
  expect(`${one?.complained ?? ""}${other?.complained ?? ""}`).toContain(
    `The collection account ${iban} is ${name}-`,
  );
});

test("partners are listed page by page", async () => {
  const Page = z.object({
    partners: z.array(z.object({ partnerKey: z.string() })),
    next: z.string().nullable(),
  });
  const page = async (...options: string[]) => {
    const { partners, next } = Page.parse(
      JSON.parse((await run("list", "--json", ...options)).printed),
    );
    return { keys: partners.map(({ partnerKey }) => partnerKey), next };
  };
  const all = await page("--limit", "200");
  const seen: string[] = [];
  for (let next: string | null = ""; next !== null;) {
    const found = await page("--limit", "3", "--after", next);
    seen.push(...found.keys);
    next = found.next;
  }
  expect(seen).toEqual(all.keys);
  expect(all.keys).toEqual([...all.keys].sort());
  expect(all.keys).toContain("umbrella");
  expect((await run("list", "--limit", "201")).code).toBe(2);
});

const keyHolds = async (authKey: string): Promise<boolean> => {
  const found = await client();
  return (
    found !== undefined &&
    [{ salt: found.authKeySalt, hash: found.authKeyHash }, ...found.formerAuthKeys].some(
      ({ salt, hash }) => secretMatches(authKey, salt, hash),
    )
  );
};

const Rotated = z.object({ authKey: z.string(), formerUntil: z.iso.datetime().nullable() });

const rotate = async (keep: string) =>
  Rotated.parse(
    JSON.parse((await run("rotate-authkey", name, "--keep-old-for", keep, "--json")).printed),
  );

test("a rotation leaves the keys before it until their time; one that keeps nothing ends them all", async () => {
  const { authKey: first } = await add();
  const second = await rotate("24h");
  // Once more: the answer of the one before may have been lost.
  const third = await rotate("1h");
  const keys = [first, second.authKey, third.authKey];
  expect(await Promise.all(keys.map(keyHolds))).toEqual([true, true, true]);
  const found = await client();
  const hours = found?.formerAuthKeys.map(({ validUntilMs }) =>
    Math.round((validUntilMs - Date.now()) / 3_600_000),
  );
  expect(hours?.sort()).toEqual([1, 24]);
  const last = await rotate("0s");
  expect(last.formerUntil).toBeNull();
  expect(await Promise.all([...keys, last.authKey].map(keyHolds))).toEqual([
    ...[false, false, false],
    true,
  ]);
  expect(await audited()).toEqual(["add", ...Array<string>(3).fill("rotateAuthKey")]);
});

test("there are five keys at most that hold besides the present one", async () => {
  await add();
  for (let turn = 0; turn < 5; turn += 1) await rotate("7d");
  const said = await run("rotate-authkey", name, "--keep-old-for", "7d");
  expect([said.code, said.complained]).toEqual([
    1,
    expect.stringMatching(/^5 AuthKeys of .* that were replaced still hold/),
  ]);
  await wallets.database.execute(
    "update borsello.former_auth_key set valid_until = now() where partner_key = $1",
    [name],
  );
  expect((await rotate("7d")).formerUntil).not.toBeNull();
});

test.each(["1y", "31d", "-1h", "24", "", "0.5h"])("a key is not kept for %j", async (keep) => {
  const { code, complained } = await run("rotate-authkey", "acme", `--keep-old-for=${keep}`);
  expect([code, complained]).toEqual([2, expect.stringContaining("must be a time such as 90s")]);
});

test("settings are changed by path and by file, shown as a difference, and audited", async () => {
  await add("--collection-owner", "Acme");
  const change = ["--set", "limits.maximumCents=50000", "--set", "onboarding.mandate=none"];
  const dry = await run("settings", name, ...change, "--dry-run");
  const wet = await run(
    "settings",
    name,
    ...change,
    "--unset",
    "ibanVerification.destinationOwner",
  );
  expect(dry.printed).toContain("would change");
  expect(wet.printed.split("\n").slice(1)).toEqual([
    '  ibanVerification.destinationOwner: "Acme" → null (the default)',
    "  limits.maximumCents: 100000 (the default) → 50000",
    '  onboarding.mandate: "optional" (the default) → "none"',
  ]);
  expect((await client())?.settings).toMatchObject({
    limits: { maximumCents: 50_000 },
    onboarding: { mandate: "none" },
    ibanVerification: { destinationOwner: null },
  });
  expect((await run("settings", name, ...change)).printed).toContain("are like that already");
  expect(await audited()).toEqual(["add", "changeSettings"]);
});

test.each([
  ["limits.maximumCent=1", "There is no setting limits.maximumCent."],
  ["limits.maximumCents=-1", "limits.maximumCents: "],
  ["limits.maximumCashCents=500000", "limits.maximumCashCents: "],
  ['fees=[{"family":"Payment","fixed":1}]', "There is no setting fees.0.fixed."],
  ["settlement.safeguardingAccount=IT00", "settlement.safeguardingAccount must be a sound IBAN"],
  ["contract.template=other", "contract.template is set by npm run partner"],
  [
    "ibanVerification.destinationIban=IT42P0999903200GLOBEX000001",
    "The collection account IT42P0999903200GLOBEX000001 is globex's.",
  ],
])("the setting %s is refused, and nothing changes", async (pair, sentence) => {
  const before = await run("settings", "acme");
  const { code, complained } = await run("settings", "acme", "--set", pair);
  expect([code, complained]).toEqual([1, expect.stringContaining(sentence)]);
  expect(await run("settings", "acme")).toEqual(before);
});

test("a broker that lets nobody look has no topic removed, and says no topic missing", async () => {
  await add();
  const stranger = connectionString(broker.broker.port).replace(
    /SharedAccessKey=[^;]+/,
    "SharedAccessKey=another",
  );
  for (const command of ["remove", "show", "add"]) {
    const said = await runPartner(
      { ...place, brokerConnectionString: stranger },
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
  expect(await broker.administration.topicExists(name)).toBe(true);
});

test("a removal without a broker shuts nobody out", async () => {
  await add();
  const { databaseUrl } = place;
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
  expect((await runPartner({ ...place, pause: killed }, "remove", name)).code).toBe(2);
  expect(await client()).toBeUndefined();
  const actor = { partnerKey: name, clientId: `${name}-client` };
  const given = { ...someone().owner, originatingDealerKey: `${name}-north` };
  made(await createWallet(wallets.database, actor, given));
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
  const meanwhile = async () => void made(await createWallet(wallets.database, actor, given));
  const said = await runPartner({ ...place, pause: meanwhile }, "remove", name);
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
  expect(await broker.administration.topicExists(name)).toBe(true);
  expect(await audited()).toEqual(["add", "remove", "keep"]);
});

test.each([
  ["show"],
  ["remove"],
  ["settings"],
  ["settings", "--set", "limits.maximumCents=1"],
  ["rotate-authkey", "--keep-old-for", "1h"],
])("%s of a partner that is not there says so", async (command, ...options) => {
  expect(await run(command, name, ...options)).toEqual({
    code: 1,
    printed: "",
    complained: `There is no partner ${name}.`,
  });
});

test("another collection account says how many customers were told the one before", async () => {
  const { walletId } = await openWallet(wallets.database);
  const { iban } = someone();
  made(await setIban(wallets.database, acme, walletId, ibanOf(iban)));
  const change = `ibanVerification.destinationIban=${someone().iban}`;
  const { printed } = await run("settings", "acme", "--set", change, "--dry-run");
  expect(printed).toContain("1 customers were told the account of before");
});

test("the operator stays, since what arrives for nobody lies in its books", async () => {
  expect(await run("remove", "platform")).toMatchObject({
    code: 1,
    complained: expect.stringMatching(/^It is the operator: /) as string,
  });
});

test("a partner of the sandbox that was removed does not come back with the next start", async () => {
  expect((await run("remove", "initech")).code).toBe(0);
  await prepareSandbox(wallets.database);
  expect(await findPartnerByClient(wallets.database, "initech-client")).toBeUndefined();
  expect((await run("show", "initech")).printed).toContain("initech, removed at ");
});

test("a partner that nothing names is gone without a trace, and its name is free", async () => {
  await add("--dealers", `${name}-north`);
  await rotate("24h");
  expect((await run("remove", name)).complained.split("\n")).toEqual([
    `The calls of ${name} are refused within five seconds.`,
    `The topic ${name} was deleted, with what was not read.`,
  ]);
  expect(await broker.administration.topicExists(name)).toBe(false);
  expect((await run("show", name)).complained).toBe(`There is no partner ${name}.`);
  await add("--dealers", `${name}-north`);
});

test("a partner that had an event keeps its name: another would read its log", async () => {
  await add();
  // As a forced event leaves it, behind which there is no wallet.
  await wallets.database.execute(
    `insert into borsello.partner_sequence (partner_key, last_sequence) values ($1, 1)`,
    [name],
  );
  expect((await run("remove", name)).printed).toContain("its books and events stay");
  expect((await run("add", name)).complained).toContain("choose another name");
  expect(await client()).toBeUndefined();
});

test("a partner with an open wallet stays; once it is closed, its books outlive the partner", async () => {
  const { database } = wallets;
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
  expect(await broker.administration.topicExists(name)).toBe(true);
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
  expect(await broker.administration.topicExists(name)).toBe(false);
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
