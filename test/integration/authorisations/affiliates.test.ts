/** Requests of the card network to an affiliate that is silent, late or gone. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { lateAnswer } from "../../../shared/database/authorisations/late-answers.js";
import { endLost } from "../../../shared/database/authorisations/lost.js";
import type { O2iRequest } from "../../../shared/contracts/authorisations/o2i.js";
import {
  approving,
  declining,
  o2iRequest,
  openDesk,
  paidCard,
  reversalRequest,
  scripted,
  unreached,
  type Desk,
} from "../../support/authorisations/requests.js";
import { openWalletTest, type WalletTest } from "../../support/wallet/wallet-fixtures.js";

let wallets: WalletTest;
/** Without a stand-in; with one that approves; with one that declines. */
let desk: Desk;
let kind: Desk;
let strict: Desk;
beforeAll(async () => {
  wallets = await openWalletTest();
  const { database } = wallets;
  desk = await openDesk(database);
  kind = await openDesk(database, { endpoint: "wallet", standIn: "00" });
  strict = await openDesk(database, { endpoint: "wallet", standIn: "91" });
});
afterAll(() => wallets.end());

const freshCard = () => paidCard(wallets.database, 0n);

/** As if the sender of what waits had told the affiliate. */
const tell = (request: O2iRequest) =>
  wallets.database.execute(
    `update borsello.o2i_push set attempts = 1 where request ->> 'refTransactionId' = $1`,
    [request.transactionId],
  );

describe("an affiliate that is not reached", () => {
  test("without a stand-in: nothing is kept, and the same may be asked for again", async () => {
    const { panToken, cardId } = await freshCard();
    const request = o2iRequest(panToken);
    await expect(desk.ask("request", request, unreached(false))).rejects.toThrow("not available");
    expect(await desk.kept(request.transactionId)).toEqual({
      ...{ status: "Unreached", transaction: null, reversalDueIn: null },
    });
    expect(await desk.used(cardId)).toEqual([]);
    expect(await desk.ask("request", request, approving())).toBe("00");
    expect(await desk.kept(request.transactionId)).toMatchObject({ transaction: "Authorised" });
    expect(await desk.used(cardId)).toMatchObject([{ overall: 3_000n }]);
  });

  test("in doubt: it is reversed unless it is asked again in time, and never asked after it was told", async () => {
    const { panToken, cardId } = await freshCard();
    const [again, told] = [o2iRequest(panToken), o2iRequest(panToken)];
    for (const request of [again, told]) {
      await expect(desk.ask("request", request, unreached(true))).rejects.toThrow("not available");
      expect(await desk.kept(request.transactionId)).toMatchObject({ reversalDueIn: 30 });
    }
    expect(await desk.ask("request", again, approving())).toBe("00");
    expect(await desk.kept(again.transactionId)).toMatchObject({ reversalDueIn: null });
    await tell(told);
    const affiliate = approving();
    expect(await desk.ask("request", told, affiliate)).toBe("91");
    expect(await desk.ask("request", told, affiliate)).toBe("91");
    expect(affiliate.heard).toEqual([]);
    expect(await desk.used(cardId)).toMatchObject([{ overall: 3_000n }]);
  });

  test("its stand-in's answer is kept, counts where it approves, and what is in doubt is reversed", async () => {
    const { panToken, cardId } = await freshCard();
    const [approved, declined] = [o2iRequest(panToken), o2iRequest(panToken)];
    expect(await kind.send("request", approved, unreached(true))).toEqual({
      ...{ transactionId: approved.transactionId, responseCode: "00" },
      ...{ availableBalance: 0, accountCurrency: 978 },
    });
    expect(await strict.ask("request", declined, unreached(false))).toBe("91");
    expect(await strict.ask("request", declined, approving())).toBe("91");
    expect(await desk.kept(approved.transactionId)).toEqual({
      ...{ status: "Approved", transaction: "Authorised", reversalDueIn: 30 },
    });
    expect(await desk.kept(declined.transactionId)).toEqual({
      ...{ status: "Declined", transaction: "Declined", reversalDueIn: null },
    });
    expect(await desk.used(cardId)).toMatchObject([{ overall: 3_000n }]);
  });

  test("facts that its stand-in took are told it later, under their own identifiers", async () => {
    const { panToken } = await freshCard();
    const paid = o2iRequest(panToken);
    await desk.ask("request", paid, approving());
    const facts = [
      ["advice", o2iRequest(panToken)],
      ["reversal", reversalRequest(paid)],
    ] as const;
    for (const [of, request] of facts) {
      expect(await kind.ask(of, request, unreached(true))).toBe("00");
      const row = z.object({ kind: z.string() });
      const text = "select kind from borsello.o2i_push where transaction_id = $1";
      expect(await wallets.database.rows(row, text, [request.transactionId])).toEqual([
        { kind: of },
      ]);
    }
    expect(await desk.kept(paid.transactionId)).toMatchObject({ transaction: "Reversed" });
  });

  test("a reversal that did not reach it leaves all as it is, and is tried again", async () => {
    const { panToken, cardId } = await freshCard();
    const paid = o2iRequest(panToken);
    await desk.ask("request", paid, approving());
    const reversal = reversalRequest(paid);
    await expect(desk.ask("reversal", reversal, unreached(true))).rejects.toThrow("not available");
    expect(await desk.kept(paid.transactionId)).toMatchObject({ transaction: "Authorised" });
    expect(await desk.ask("reversal", reversal, declining())).toBe("51");
    expect(await desk.kept(paid.transactionId)).toMatchObject({ transaction: "Authorised" });
    expect(await desk.used(cardId)).toMatchObject([{ overall: 3_000n }]);
  });
});

describe("whoever asked is gone, and what it asked about", () => {
  const gone = scripted(() => Promise.reject(new Error("killed")));
  const lost = async (changes: Parameters<typeof o2iRequest>[1] = {}) => {
    const card = await freshCard();
    const request = o2iRequest(card.panToken, changes);
    await expect(desk.ask("request", request, gone)).rejects.toThrow("killed");
    await desk.age(request.transactionId, 11);
    return { ...card, request };
  };

  test("is reversed by the platform, too, where a reversal gives it up and does not reach the affiliate", async () => {
    const { request } = await lost();
    expect(await strict.ask("reversal", reversalRequest(request), unreached(false))).toBe("91");
    expect(await desk.kept(request.transactionId)).toEqual({
      ...{ status: "Abandoned", transaction: "Declined", reversalDueIn: 30 },
    });
  });

  test("moves no money, and is not reversed", async () => {
    const nothing = { billingAmount: null, transactionAmount: null };
    const { request } = await lost({ type: 30, ...nothing });
    const reversal = reversalRequest(request, nothing);
    expect(await strict.ask("reversal", reversal, unreached(false))).toBe("91");
    expect(await desk.kept(request.transactionId)).toMatchObject({ reversalDueIn: null });
  });

  test("is not asked again once the affiliate was told to reverse it", async () => {
    const { panToken, cardId } = await freshCard();
    const request = o2iRequest(panToken);
    await desk.ask("request", request, unreached(true)).catch(() => undefined);
    const diesBesideALateAnswer = scripted(async () => {
      await lateAnswer(wallets.database, {
        ...{ partnerKey: "acme", kind: "request", request },
        answer: {
          ...{ transactionId: request.transactionId, responseCode: "00" },
          ...{ availableBalance: 1, accountCurrency: 978 },
        },
      });
      throw new Error("killed");
    });
    await desk.ask("request", request, diesBesideALateAnswer).catch(() => undefined);
    await desk.age(request.transactionId, 35);
    await tell(request);
    const affiliate = approving();
    expect(await desk.ask("request", request, affiliate)).toBe("91");
    expect(affiliate.heard).toEqual([]);
    expect(await desk.used(cardId)).toEqual([]);
  });
});

test("an affiliate that takes a repeat for a duplicate may have approved the first: it is reversed", async () => {
  const { panToken } = await freshCard();
  const request = o2iRequest(panToken);
  await desk.ask("request", request, unreached(true)).catch(() => undefined);
  const duplicate = scripted(() => "94");
  expect(await desk.ask("request", request, duplicate)).toBe("94");
  expect(await desk.kept(request.transactionId)).toEqual({
    ...{ status: "Declined", transaction: "Declined", reversalDueIn: 0 },
  });
  const other = o2iRequest(panToken);
  expect(await desk.ask("request", other, duplicate)).toBe("94");
  expect(await desk.kept(other.transactionId)).toMatchObject({ reversalDueIn: null });
});

test("a reversal that was refused does not stand in the way of what it named", async () => {
  const { panToken, cardId } = await freshCard();
  const request = o2iRequest(panToken);
  await desk.ask("request", request, unreached(false)).catch(() => undefined);
  expect(
    await desk.ask("reversal", reversalRequest(request, { billingAmount: 29.99 }), approving()),
  ).toBe("13");
  expect(await desk.ask("request", request, approving())).toBe("00");
  expect(await desk.used(cardId)).toMatchObject([{ overall: 3_000n }]);
});

test("a completion takes the place of an increment, too, that is under way when it comes", async () => {
  const { panToken, cardId } = await freshCard();
  const held = o2iRequest(panToken, { type: 101 });
  await desk.ask("request", held, approving());
  const more = reversalRequest(held, { type: 102 });
  let answer: (code: string) => void = () => undefined;
  const code = new Promise<string>((resolve) => (answer = resolve));
  const slow = scripted(async (_kind, { transactionId }) => ({
    reached: true,
    answer: { transactionId, responseCode: await code, availableBalance: 7, accountCurrency: 978 },
  }));
  const increment = desk.ask("request", more, slow);
  await expect.poll(() => slow.heard.length).toBe(1);
  const done = reversalRequest(held, { type: 103, billingAmount: 55 });
  const completion = desk.ask("request", done, approving());
  const looks = desk.ask("inquiry", o2iRequest(panToken, { type: 30 }), approving());
  expect(await looks).toBe("00");
  answer("00");
  expect([await increment, await completion]).toEqual(["00", "00"]);
  expect(await desk.kept(more.transactionId)).toMatchObject({
    ...{ status: "Replaced", transaction: "Reversed" },
  });
  expect(await desk.used(cardId)).toMatchObject([{ overall: 5_500n }]);
});

describe("an approval that comes late", () => {
  const late = (request: O2iRequest, responseCode = "00") =>
    lateAnswer(wallets.database, {
      ...{ partnerKey: "acme", kind: "request", request },
      answer: {
        ...{ transactionId: request.transactionId, responseCode },
        ...{ availableBalance: 1, accountCurrency: 978 },
      },
    });
  const dueIn = async ({ transactionId }: O2iRequest) =>
    (await desk.kept(transactionId))?.reversalDueIn;

  test("is reversed at once where nobody took it, whatever the stand-in said", async () => {
    const { panToken } = await freshCard();
    const [unanswered, stoodIn] = [o2iRequest(panToken), o2iRequest(panToken)];
    await desk.ask("request", unanswered, unreached(true)).catch(() => undefined);
    await kind.ask("request", stoodIn, unreached(true));
    for (const request of [unanswered, stoodIn]) {
      await late(request);
      expect(await dueIn(request)).toBe(0);
    }
  });

  test("is no more than a later try has heard", async () => {
    const { panToken } = await freshCard();
    const request = o2iRequest(panToken);
    await desk.ask("request", request, unreached(true)).catch(() => undefined);
    await desk.ask("request", request, approving());
    await late(request);
    expect(await dueIn(request)).toBeNull();
  });

  test("while a later try is under way waits for that one's end", async () => {
    const { panToken } = await freshCard();
    for (const [request, code, due] of [
      [o2iRequest(panToken), "00", null],
      [o2iRequest(panToken), "51", 30],
      [o2iRequest(panToken), undefined, 30],
    ] as const) {
      await desk.ask("request", request, unreached(true)).catch(() => undefined);
      const again = scripted(async () => {
        await late(request);
        if (code === undefined) return { reached: false, reason: "silent", inDoubt: false };
        const answer = { responseCode: code, availableBalance: 1, accountCurrency: 978 };
        return { reached: true, answer: { transactionId: request.transactionId, ...answer } };
      });
      await desk.ask("request", request, again).catch(() => undefined);
      expect(await dueIn(request)).toBe(due);
    }
  });

  test("that is a decline leaves nothing to reverse", async () => {
    const { panToken } = await freshCard();
    const request = o2iRequest(panToken);
    await desk.ask("request", request, unreached(true)).catch(() => undefined);
    await late(request, "51");
    expect(await dueIn(request)).toBeNull();
  });

  test("after it was given up is reversed, and what was told holds", async () => {
    const { panToken } = await freshCard();
    const request = o2iRequest(panToken);
    const slow = scripted(async () => {
      await desk.age(request.transactionId, 61);
      await endLost(wallets.database, 10);
      const answer = { responseCode: "00", availableBalance: 1, accountCurrency: 978 };
      return { reached: true, answer: { transactionId: request.transactionId, ...answer } };
    });
    expect(await desk.ask("request", request, slow)).toBe("91");
    expect(await desk.kept(request.transactionId)).toMatchObject({
      ...{ status: "Abandoned", transaction: "Declined", reversalDueIn: 0 },
    });
  });
});
