/** A card's limits and PINs, on a database: what is set, told and kept in each state of the card. */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { setCardLimits } from "../../../shared/database/card/limits.js";
import { changePin, makePinToken } from "../../../shared/database/card/pins.js";
import { recordAttempts } from "../../../shared/database/outbox/outbox.js";
import { cardLimitTypes } from "../../../shared/domain/card/limit-types.js";
import { cardStatuses, type CardStatus } from "../../../shared/domain/card/statuses.js";
import { issueCard, openAccount, type CardChanges } from "../../support/card/cards.js";
import {
  acme,
  globex,
  made,
  openWalletTest,
  type WalletTest,
} from "../../support/wallet/wallet-fixtures.js";

let cards: WalletTest;
beforeAll(async () => {
  cards = await openWalletTest();
});
afterAll(() => cards.end());

const cardIn = async (changes: CardChanges = {}): Promise<string> => {
  const { accountId } = await openAccount(cards.database);
  return (await issueCard(cards.database, accountId, changes)).cardId;
};

const Told = z.object({ outboxId: z.bigint(), body: z.record(z.string(), z.unknown()) });
const toldOf = (cardId: string) =>
  cards.database.rows(
    Told,
    `select outbox_id as "outboxId", body from borsello.outbox
     where session_id = $1 and destinations = '{card-processor-commands}' order by outbox_id`,
    [cardId],
  );

const Limit = z.object({ type: z.string(), cents: z.bigint(), isDisabled: z.boolean() });
const limitsOf = (cardId: string) =>
  cards.database.rows(
    Limit,
    `select type, limit_cents as cents, is_disabled as "isDisabled" from borsello.card_limit
     where card_id = $1 order by limit_cents`,
    [cardId],
  );

const limit = (type: string, amount: number, isDisabled = false) => ({
  ...{ type, limit: amount, isDisabled },
});

/** What may be done with a card in this state. */
const isLive: Readonly<Record<CardStatus, boolean>> = {
  Active: true,
  Locked: true,
  Blocked: false,
  Deleted: false,
  Expired: false,
};

describe("limits", () => {
  test("of every type are set all at once, and replace what was set before", async () => {
    const cardId = await cardIn();
    const all = cardLimitTypes.map((type, place) => limit(type, place + 0.01, place % 2 === 0));
    expect(made(await setCardLimits(cards.database, acme, cardId, all))).toEqual(all);
    expect(await limitsOf(cardId)).toEqual(
      all.map(({ type, isDisabled }, place) => ({
        type,
        isDisabled,
        cents: BigInt(place * 100 + 1),
      })),
    );
    const few = [limit("monthlyOverall", 1_000), limit("dailyAtm", 0)];
    expect(made(await setCardLimits(cards.database, acme, cardId, few))).toEqual(few);
    expect(await limitsOf(cardId)).toEqual([
      { type: "dailyAtm", cents: 0n, isDisabled: false },
      { type: "monthlyOverall", cents: 100_000n, isDisabled: false },
    ]);
    const told = (await toldOf(cardId)).map(({ body }) => body);
    expect(told).toMatchObject([
      { kind: "limits", affiliate: "acme", cardId, limits: all },
      { kind: "limits", affiliate: "acme", cardId, limits: few },
    ]);
    expect(new Set(told.map(({ commandId }) => commandId)).size).toBe(2);
  });

  test.each([
    ["CardLimitTypeUnknown", limit("hourly", 1)],
    ["CardLimitTypeUnknown", limit("constructor", 1)],
    ["AmountScaleInvalid", limit("dailyAtm", 1.005)],
  ])("are refused whole with %s", async (code, wrong) => {
    const cardId = await cardIn();
    const limits = [limit("monthlyOverall", 5), wrong];
    const set = await setCardLimits(cards.database, acme, cardId, limits);
    expect(set).toMatchObject({ ok: false, code });
    expect(await limitsOf(cardId)).toEqual([]);
    expect(await toldOf(cardId)).toEqual([]);
  });

  test.each(cardStatuses)("of a card that is %s", async (status) => {
    const cardId = await cardIn({ status });
    const set = await setCardLimits(cards.database, acme, cardId, [limit("dailyAtm", 5)]);
    expect(set).toMatchObject(
      isLive[status]
        ? { ok: true }
        : { ok: false, code: "CardStatusInvalid", properties: { status } },
    );
    expect(await toldOf(cardId)).toHaveLength(isLive[status] ? 1 : 0);
  });

  test("of a card past its month are refused before the sweep has come by", async () => {
    const cardId = await cardIn({ expiryDate: "2020-01-31" });
    const set = await setCardLimits(cards.database, acme, cardId, [limit("dailyAtm", 5)]);
    expect(set).toMatchObject({ ok: false, code: "CardStatusInvalid" });
  });

  test("of somebody else's card, or of none, are refused", async () => {
    const cardId = await cardIn();
    const few = [limit("dailyAtm", 5)];
    const operator = { partnerKey: "platform", clientId: "operator-client", isOperator: true };
    for (const [actor, id, code] of [
      [globex, cardId, "AccountOfAnotherAffiliate"],
      [operator, cardId, "AccountOfAnotherAffiliate"],
      [acme, randomUUID(), "CardNotFound"],
    ] as const)
      expect(await setCardLimits(cards.database, actor, id, few)).toMatchObject({
        ok: false,
        code,
      });
    expect(await limitsOf(cardId)).toEqual([]);
  });

  test("set by two at once are one's or the other's", async () => {
    const cardId = await cardIn();
    const sets = [1, 2].map((amount) => [limit("dailyAtm", amount), limit("dailyOverall", amount)]);
    await Promise.all(sets.map((few) => setCardLimits(cards.database, acme, cardId, few)));
    const cents = (await limitsOf(cardId)).map((row) => row.cents);
    expect([
      [100n, 100n],
      [200n, 200n],
    ]).toContainEqual(cents);
    expect(await toldOf(cardId)).toHaveLength(2);
  });
});

const accepts = async (cypher: string) => cypher === "sound";
const change = (token: string, cypher = "sound", actor = acme) =>
  changePin(cards.database, actor, { token, cypher }, accepts);
const tokenFor = async (cardId: string) => made(await makePinToken(cards.database, acme, cardId));

describe("a PIN", () => {
  test.each(cardStatuses)("of a card that is %s", async (status) => {
    const cardId = await cardIn({ status });
    const changed = await change(await tokenFor(cardId));
    if (!isLive[status]) {
      expect(changed).toMatchObject({
        ok: false,
        code: "CardStatusInvalid",
        properties: { status },
      });
      expect(await toldOf(cardId)).toEqual([]);
      return;
    }
    expect(JSON.parse(made(changed))).toMatchObject({ cardId, status });
    expect(await toldOf(cardId)).toMatchObject([
      { body: { kind: "pin", affiliate: "acme", cardId, cypher: "sound" } },
    ]);
  });

  test("is changed once by a token, whoever else tries at the same time", async () => {
    const cardId = await cardIn();
    const token = await tokenFor(cardId);
    const changes = await Promise.all([change(token), change(token), change(token)]);
    expect(changes.filter(({ ok }) => ok)).toHaveLength(1);
    expect(await change(token)).toMatchObject({ ok: false, code: "PinTokenInvalid" });
    expect(await toldOf(cardId)).toHaveLength(1);
  });

  test("is changed by no token of another affiliate's, made up, or an hour old", async () => {
    const cardId = await cardIn();
    const token = await tokenFor(cardId);
    expect(await change(token, "sound", globex)).toMatchObject({ code: "PinTokenInvalid" });
    const operator = { partnerKey: "platform", clientId: "operator-client", isOperator: true };
    expect(await change(token, "sound", operator)).toMatchObject({ code: "PinTokenInvalid" });
    expect(await change("made-up")).toMatchObject({ code: "PinTokenInvalid" });
    await cards.database.execute(
      `update borsello.card_pin_token set expires_at = expires_at - interval '61 minutes'
       where card_id = $1`,
      [cardId],
    );
    expect(await change(token)).toMatchObject({ code: "PinTokenInvalid" });
    expect(await toldOf(cardId)).toEqual([]);
  });

  test("that was refused leaves its token for the next try", async () => {
    const cardId = await cardIn();
    const token = await tokenFor(cardId);
    expect(await change(token, "wrong")).toMatchObject({ ok: false, code: "PinCypherInvalid" });
    expect(await change(token)).toMatchObject({ ok: true });
  });

  test("is kept as a cypher until the broker has it, and no longer; its token is kept as a hash alone", async () => {
    const cardId = await cardIn();
    const token = await tokenFor(cardId);
    made(await change(token));
    const [told] = await toldOf(cardId);
    if (told === undefined) throw new Error("the processor was not told");
    const held = z.object({ held: z.string() });
    const everywhere = async () =>
      (
        await cards.database.rows(
          held,
          `select concat_ws(' ', o.body, o.delivered_to) as held from borsello.outbox as o
           union all select to_jsonb(a)::text from borsello.audit as a
           union all select to_jsonb(t)::text from borsello.card_pin_token as t
           union all select to_jsonb(c)::text from borsello.card as c`,
        )
      )
        .map((row) => row.held)
        .join(" ");
    expect(await everywhere()).not.toContain(token);
    await recordAttempts(cards.database, [{ outboxId: told.outboxId, deliveredTo: null }]);
    expect((await toldOf(cardId))[0]?.body).toMatchObject({ cypher: "sound" });
    const queue = "card-processor-commands";
    await recordAttempts(cards.database, [{ outboxId: told.outboxId, deliveredTo: queue }]);
    const { commandId } = told.body;
    expect((await toldOf(cardId))[0]?.body).toEqual({ commandId, kind: "pin", cardId });
  });

  test("needs a token of a card of one's own", async () => {
    const cardId = await cardIn();
    expect(await makePinToken(cards.database, globex, cardId)).toMatchObject({
      code: "AccountOfAnotherAffiliate",
    });
    expect(await makePinToken(cards.database, acme, randomUUID())).toMatchObject({
      code: "CardNotFound",
    });
  });
});
