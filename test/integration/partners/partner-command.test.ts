/** The operators' command for partners on a database and a broker: what it makes, refuses, finishes and changes. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { setIban } from "../../../shared/database/onboarding/ibans.js";
import { secretMatches } from "../../../shared/platform/secrets.js";
import { runPartner } from "../../support/partners/partner-command.js";
import { Added, openPartnerDesk, type PartnerDesk } from "../../support/partners/partner-desk.js";
import { acme, ibanOf, made, openWallet, someone } from "../../support/wallet/wallet-fixtures.js";

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
  expect(await desk.broker.administration.getTopic(name)).toMatchObject({
    requiresDuplicateDetection: true,
    duplicateDetectionHistoryTimeWindow: "PT10M",
    defaultMessageTimeToLive: "P14D",
  });
  expect(await desk.broker.administration.getSubscription(name, name)).toMatchObject({
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
  await desk.broker.administration.deleteSubscription(name, name);
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
  await desk.broker.administration.createTopic(name, { requiresDuplicateDetection: true });
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
  await desk.broker.administration.createTopic(name, {});
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
  if (code === 1) expect(await desk.broker.administration.topicExists("x")).toBe(false);
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
    () => ({ ...desk.place, databaseUrl: "postgres://a:b@127.0.0.1:1/c" }),
    /ECONNREFUSED/,
  ],
  [
    "a broker that nobody vouches for",
    () => ({ ...desk.place, certificate: "package.json" }),
    /--broker-certificate: npm start prints the file/,
  ],
  [
    "no broker",
    () => ({ databaseUrl: desk.place.databaseUrl }),
    /^The setting ServiceBus is missing/,
  ],
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
  await desk.wallets.database.execute(
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
  const { walletId } = await openWallet(desk.wallets.database);
  const { iban } = someone();
  made(await setIban(desk.wallets.database, acme, walletId, ibanOf(iban)));
  const change = `ibanVerification.destinationIban=${someone().iban}`;
  const { printed } = await run("settings", "acme", "--set", change, "--dry-run");
  expect(printed).toContain("1 customers were told the account of before");
});
