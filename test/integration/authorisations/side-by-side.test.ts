/** Requests of the card network beside each other, and beside the limits of their card. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { moveSandboxClock } from "../../../shared/database/sandbox/clock.js";
import type { CardLimitType } from "../../../shared/domain/card/limit-types.js";
import {
  approving,
  declining,
  o2iRequest,
  openDesk,
  paidCard,
  reversalRequest,
  scripted,
  type Desk,
} from "../../support/authorisations/requests.js";
import { openWalletTest, type WalletTest } from "../../support/wallet/wallet-fixtures.js";

let wallets: WalletTest;
let desk: Desk;
beforeAll(async () => {
  wallets = await openWalletTest();
  desk = await openDesk(wallets.database);
});
afterAll(() => wallets.end());

const freshCard = () => paidCard(wallets.database, 0n);

const setLimits = (
  cardId: string,
  limits: Partial<Record<CardLimitType, number>>,
  isDisabled = false,
) =>
  wallets.database.execute(
    `insert into borsello.card_limit (card_id, type, limit_cents, is_disabled)
     select $1, key, value::bigint, $3 from json_each_text($2::json)`,
    [cardId, JSON.stringify(limits), isDisabled],
  );

/** What keeps an account from being deleted. */
const openHolds = async (accountId: string) =>
  (
    await wallets.database.row(
      z.object({ holds: z.int() }),
      "select borsello.open_card_holds($1) as holds",
      [accountId],
    )
  )?.holds;

describe("side by side", () => {
  test("of many that together exceed a limit as many pass as it has room for", async () => {
    const { panToken, cardId } = await freshCard();
    await setLimits(cardId, { dailyOverall: 9_999 });
    const asked = Array.from({ length: 6 }, () =>
      desk.ask("request", o2iRequest(panToken), approving()),
    );
    expect((await Promise.all(asked)).sort()).toEqual(["00", "00", "00", "61", "61", "61"]);
    expect(await desk.used(cardId)).toMatchObject([{ overall: 9_000n }]);
    expect(
      await desk.ask("request", o2iRequest(panToken, { billingAmount: 9.99 }), approving()),
    ).toBe("00");
    expect(
      await desk.ask("request", o2iRequest(panToken, { billingAmount: 0.01 }), approving()),
    ).toBe("61");
  });

  test("of two cards that are asked for under one identifier at once, one is", async () => {
    const [one, other] = [await freshCard(), await freshCard()];
    for (let turn = 0; turn < 5; turn += 1) {
      const request = o2iRequest(one.panToken);
      const affiliate = approving();
      const codes = await Promise.all(
        [one, other].map(({ panToken }) =>
          desk.ask("request", { ...request, cardToken: panToken }, affiliate),
        ),
      );
      expect(codes.sort()).toEqual(["00", "94"]);
      expect(affiliate.heard).toHaveLength(1);
    }
  });

  test("a repeat whose first is answered at this moment gets that answer", async () => {
    const { panToken } = await freshCard();
    for (let turn = 0; turn < 5; turn += 1) {
      const request = o2iRequest(panToken);
      const slow = scripted(async (_kind, { transactionId }) => {
        await desk.age(transactionId, 11);
        void desk.ask("request", request, approving()).then((code) => codes.push(code));
        const answer = { responseCode: "00", availableBalance: 7, accountCurrency: 978 };
        return { reached: true, answer: { transactionId, ...answer } };
      });
      const codes: string[] = [];
      expect(await desk.ask("request", request, slow)).toBe("00");
      await expect.poll(() => codes).toEqual(["00"]);
    }
  });

  test("a repeat waits for the first, and a reversal for what it reverses", async () => {
    const { panToken, accountId } = await freshCard();
    const request = o2iRequest(panToken);
    let answer: (code: string) => void = () => undefined;
    const code = new Promise<string>((resolve) => (answer = resolve));
    const slow = scripted(async (_kind, { transactionId }) => ({
      reached: true,
      answer: {
        transactionId,
        responseCode: await code,
        availableBalance: 7,
        accountCurrency: 978,
      },
    }));
    const first = desk.send("request", request, slow);
    await expect.poll(() => slow.heard.length).toBe(1);
    const affiliate = approving();
    const repeat = desk.send("request", request, affiliate);
    const reversal = desk.ask("reversal", reversalRequest(request), affiliate);
    await expect.poll(async () => (await desk.kept(request.transactionId))?.status).toBe("Pending");
    expect(await openHolds(accountId)).toBe(1);
    answer("00");
    expect(await repeat).toEqual(await first);
    expect(await reversal).toBe("00");
    expect(affiliate.heard).toEqual([expect.stringMatching(/^reversal /)]);
    expect(await openHolds(accountId)).toBe(0);
  });

  test("a lock of the card holds from its commit on, and its release", async () => {
    const { panToken, cardId, accountId } = await freshCard();
    const set = (status: string, lockLevel: string | null) =>
      wallets.database.execute(
        "update borsello.card set status = $2, lock_level = $3 where card_id = $1",
        [cardId, status, lockLevel],
      );
    const affiliate = approving();
    await set("Locked", "Client");
    expect(await desk.ask("request", o2iRequest(panToken), affiliate)).toBe("62");
    await set("Active", null);
    await wallets.database.execute(
      `update borsello.card_account set status = 'LOCKED', lock_level = 'Admin'
       where account_id = $1`,
      [accountId],
    );
    const request = o2iRequest(panToken);
    expect(await desk.ask("request", request, affiliate)).toBe("62");
    expect(await desk.kept(request.transactionId)).toMatchObject({ transaction: "Declined" });
    expect(affiliate.heard).toEqual([]);
    expect(await desk.ask("advice", o2iRequest(panToken), affiliate)).toBe("00");
  });
});

test("what was presented meanwhile stays clearing's when its authorisation is reversed", async () => {
  const { panToken, cardId } = await freshCard();
  const paid = o2iRequest(panToken);
  await desk.ask("request", paid, approving());
  await wallets.database.execute(
    "update borsello.card_transaction set status = 'Presented' where transaction_id = $1",
    [paid.transactionId],
  );
  expect(await desk.ask("reversal", reversalRequest(paid), approving())).toBe("00");
  expect(await desk.kept(paid.transactionId)).toMatchObject({
    ...{ status: "Reversed", transaction: "Presented" },
  });
  expect(await desk.used(cardId)).toEqual([]);
});

describe("limits", () => {
  test("those that were set take the place of the default ones, disabled ones of none", async () => {
    const [card, free] = [await freshCard(), await freshCard()];
    const ask = (panToken: string, billingAmount: number, changes = {}) =>
      desk.ask("request", o2iRequest(panToken, { billingAmount, ...changes }), approving());
    expect(await ask(card.panToken, 500.01)).toBe("61");
    await setLimits(card.cardId, { monthlyAtm: 100_00 });
    expect(await ask(card.panToken, 500.01)).toBe("00");
    expect(await ask(card.panToken, 100.01, { type: 1 })).toBe("61");
    expect(await ask(card.panToken, 100, { type: 1 })).toBe("00");
    await setLimits(free.cardId, { perTransaction: 1 }, true);
    expect(await ask(free.panToken, 2_000)).toBe("00");
  });

  test("facts beyond all measure are above every limit, and asked about as ever", async () => {
    const { panToken, cardId } = await freshCard();
    await wallets.database.execute(
      `insert into borsello.card_usage
       values ($1, borsello.rome_date(borsello.platform_now()), 9007199254740993, 0, 0)`,
      [cardId],
    );
    expect(await desk.ask("request", o2iRequest(panToken), approving())).toBe("61");
    expect(await desk.ask("advice", o2iRequest(panToken), approving())).toBe("00");
  });

  test("advices and declines: a fact counts above the limit, what was declined does not", async () => {
    const { panToken, cardId } = await freshCard();
    await setLimits(cardId, { dailyOverall: 5_000 });
    expect(await desk.ask("request", o2iRequest(panToken), declining())).toBe("51");
    expect(await desk.used(cardId)).toEqual([]);
    expect(await desk.ask("advice", o2iRequest(panToken, { billingAmount: 60 }), approving())).toBe(
      "00",
    );
    expect(
      await desk.ask("advice", o2iRequest(panToken, { responseCode: "05" }), approving()),
    ).toBe("00");
    expect(await desk.used(cardId)).toMatchObject([{ overall: 6_000n }]);
    expect(
      await desk.ask("request", o2iRequest(panToken, { billingAmount: 0.01 }), approving()),
    ).toBe("61");
  });

  test("an advice of what was approved here is known already", async () => {
    const { panToken, cardId } = await freshCard();
    const paid = o2iRequest(panToken);
    const affiliate = approving();
    await desk.ask("request", paid, affiliate);
    const advice = reversalRequest(paid);
    expect(await desk.ask("advice", advice, affiliate)).toBe("00");
    expect(affiliate.heard).toHaveLength(1);
    expect(await desk.kept(advice.transactionId)).toMatchObject({ transaction: null });
    expect(await desk.used(cardId)).toMatchObject([{ overall: 3_000n }]);
  });

  test("a completion takes the place of its preauthorisation and the increments", async () => {
    const { panToken, cardId } = await freshCard();
    await setLimits(cardId, { dailyOverall: 10_000, perTransaction: 8_000 });
    const held = o2iRequest(panToken, { type: 101, billingAmount: 50 });
    expect(await desk.ask("request", held, approving())).toBe("00");
    const more = reversalRequest(held, { type: 102, billingAmount: 30 });
    expect(await desk.ask("request", more, approving())).toBe("00");
    expect(await desk.used(cardId)).toMatchObject([{ overall: 8_000n }]);
    const declined = reversalRequest(more, { type: 103, billingAmount: 70 });
    expect(await desk.ask("request", declined, declining())).toBe("51");
    expect(await desk.used(cardId)).toMatchObject([{ overall: 8_000n }]);
    const done = reversalRequest(more, { type: 103, billingAmount: 70 });
    expect(await desk.ask("request", done, approving())).toBe("00");
    expect(await desk.used(cardId)).toMatchObject([{ overall: 7_000n }]);
    for (const { transactionId } of [held, more])
      expect(await desk.kept(transactionId)).toMatchObject({
        ...{ status: "Replaced", transaction: "Reversed" },
      });
    expect(await desk.ask("request", reversalRequest(held, { type: 103 }), approving())).toBe("12");
    expect(
      await desk.ask("reversal", reversalRequest(done, { billingAmount: 70 }), approving()),
    ).toBe("00");
    expect(await desk.used(cardId)).toEqual([]);
  });
});

// The last of this file: it moves the platform's clock.
test("a day ends at midnight in Rome, and a reversal frees the day on which it was counted", async () => {
  const at = async (now: string) =>
    expect(await moveSandboxClock(wallets.database, now)).toBe(true);
  const { panToken, cardId } = await freshCard();
  await setLimits(cardId, { dailyOverall: 3_000, weeklyOverall: 6_000 });
  // A Saturday in summer, two hours ahead of UTC.
  await at("2027-06-26T21:59:30Z");
  const evening = o2iRequest(panToken);
  expect(await desk.ask("request", evening, approving())).toBe("00");
  expect(await desk.ask("request", o2iRequest(panToken), approving())).toBe("61");
  await at("2027-06-26T22:00:00Z");
  expect(await desk.ask("request", o2iRequest(panToken), approving())).toBe("00");
  expect(await desk.used(cardId)).toMatchObject([{ day: "2027-06-26" }, { day: "2027-06-27" }]);
  expect(await desk.ask("reversal", reversalRequest(evening), approving())).toBe("00");
  expect(await desk.used(cardId)).toMatchObject([{ day: "2027-06-27", overall: 3_000n }]);
  expect(
    await desk.ask("request", o2iRequest(panToken, { billingAmount: 0.01 }), approving()),
  ).toBe("61");
  // Monday: another week.
  await at("2027-06-27T22:00:00Z");
  expect(await desk.ask("request", o2iRequest(panToken), approving())).toBe("00");
});
