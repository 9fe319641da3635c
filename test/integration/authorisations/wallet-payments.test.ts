/** Cards that are paid from wallets: the money moves once and comes back once, whatever happens in between. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { proveBook } from "../../../shared/database/accounting/prove.js";
import { endLost } from "../../../shared/database/authorisations/lost.js";
import { reversalOf } from "../../../shared/database/authorisations/o2i-pushes.js";
import {
  openDesk,
  o2iRequest,
  paidCard,
  unreached,
  type Desk,
  type PaidCard,
} from "../../support/authorisations/requests.js";
import { openWalletTest, type WalletTest } from "../../support/wallet/wallet-fixtures.js";

let wallets: WalletTest;
let desk: Desk;
beforeAll(async () => {
  wallets = await openWalletTest();
  desk = await openDesk(wallets.database);
});
afterAll(async () => {
  const { checks, findings } = await proveBook({ kind: "url", url: wallets.url });
  await wallets.end();
  expect(findings).toEqual([]);
  expect(checks.length).toBeGreaterThan(0);
});

const reversal = (
  { panToken }: PaidCard,
  refTransactionId: string,
  changes: Parameters<typeof o2iRequest>[1] = {},
) => o2iRequest(panToken, { refTransactionId, ...changes });

const setOperations = (walletId: string, status: string) =>
  wallets.database.execute(
    "update borsello.operation set status = $2 where wallet_id = $1 and type = 'Payment'",
    [walletId, status],
  );
const setWallet = (walletId: string, status: string) =>
  wallets.database.execute("update borsello.wallet set status = $2 where wallet_id = $1", [
    walletId,
    status,
  ]);

test("a purchase is paid once, however often and at once it is asked for", async () => {
  const card = await paidCard(wallets.database, 10_000n);
  const request = o2iRequest(card.panToken);
  const answers = await Promise.all(Array.from({ length: 8 }, () => desk.send("request", request)));
  const { transactionId } = request;
  for (const answer of answers)
    expect(answer).toEqual({
      ...{ transactionId, responseCode: "00", availableBalance: 70, accountCurrency: 978 },
    });
  expect(await desk.ask("request", { ...request, billingAmount: 31 })).toBe("94");
  expect(await desk.ask("advice", request)).toBe("94");
  expect(await desk.send("request", { ...request, stan: "2" })).toEqual(answers[0]);
  expect(await desk.available(card.walletId)).toBe(7_000n);
  expect(await desk.kept(transactionId)).toMatchObject({
    ...{ status: "Approved", transaction: "Authorised" },
  });
  expect(await desk.used(card.cardId)).toMatchObject([{ overall: 3_000n, atm: 0n }]);
});

describe("asked for by message", () => {
  const Told = z.object({ subject: z.string(), sessionId: z.string(), body: z.unknown() });
  const told = (transactionId: string) =>
    wallets.database.rows(
      Told,
      `select subject, session_id as "sessionId", body from borsello.outbox
       where destinations = '{card-processor-commands}' and body ->> 'transactionId' = $1
       order by outbox_id`,
      [transactionId],
    );

  test("it is paid once, and its answer goes back once", async () => {
    const card = await paidCard(wallets.database, 10_000n);
    const request = o2iRequest(card.panToken);
    const handled = await Promise.all([desk.receive(request), desk.receive(request)]);
    expect([...handled, await desk.receive(request)]).toEqual([undefined, undefined, undefined]);
    expect(await desk.available(card.walletId)).toBe(7_000n);
    expect(await told(request.transactionId)).toMatchObject([
      {
        ...{ subject: "CardProcessorCommand", sessionId: card.cardId },
        body: {
          ...{ kind: "authorisationAnswer", affiliate: "acme", responseCode: "00" },
          ...{ availableBalance: 70, accountCurrency: 978 },
        },
      },
    ]);
  });

  test("what the processor has decided is a fact, whatever state the card is in", async () => {
    const card = await paidCard(wallets.database, 10_000n, { status: "Blocked" });
    const declined = o2iRequest(card.panToken, { responseCode: "05" });
    const taken = o2iRequest(card.panToken, { responseCode: "00" });
    expect(await desk.receive(declined)).toBeUndefined();
    expect(await desk.available(card.walletId)).toBe(10_000n);
    expect(await desk.receive(taken)).toBeUndefined();
    expect(await desk.available(card.walletId)).toBe(7_000n);
  });

  test("where nobody answers the processor is told so at once, and may ask again", async () => {
    const card = await paidCard(wallets.database, 10_000n);
    const request = o2iRequest(card.panToken);
    expect(await desk.receive(request, unreached(true))).toBeUndefined();
    expect(await desk.kept(request.transactionId)).toMatchObject({
      ...{ status: "Unreached", reversalDueIn: 30 },
    });
    expect(await desk.receive(request)).toBeUndefined();
    expect(await desk.available(card.walletId)).toBe(7_000n);
    expect(await told(request.transactionId)).toMatchObject([
      { body: { responseCode: "91" } },
      { body: { responseCode: "00" } },
    ]);
  });

  test("where nobody answers a fact is taken, and the affiliate is told it later", async () => {
    const { panToken } = await paidCard(wallets.database, 0n);
    const fact = o2iRequest(panToken, { responseCode: "00" });
    expect(await desk.receive(fact, unreached(true))).toBeUndefined();
    expect(await told(fact.transactionId)).toMatchObject([{ body: { responseCode: "00" } }]);
    expect(await desk.kept(fact.transactionId)).toMatchObject({ transaction: "Authorised" });
    const pushed = await wallets.database.rows(
      z.object({ kind: z.string() }),
      "select kind from borsello.o2i_push where transaction_id = $1",
      [fact.transactionId],
    );
    expect(pushed).toEqual([{ kind: "advice" }]);
  });

  test("what names no card, or other money, is set aside with its reason", async () => {
    const { panToken } = await paidCard(wallets.database, 0n);
    const rows = [
      ["CardTokenInvalid", o2iRequest("nobody's")],
      ["CurrencyNotSupported", o2iRequest(panToken, { billingCurrency: 840 })],
    ] as const;
    for (const [reason, request] of rows)
      expect(await desk.receive(request)).toMatchObject({ reason });
  });
});

describe("what the wallet declines is declined, and counts for nothing", () => {
  test.each([
    ["too little in it", 2_999n, "Active", "51"],
    ["suspended", 10_000n, "Suspended", "62"],
    ["closed", 10_000n, "Closed", "14"],
  ] as const)("%s", async (_what, cents, status, code) => {
    const card = await paidCard(wallets.database, cents);
    await setWallet(card.walletId, status);
    const request = o2iRequest(card.panToken);
    expect(await desk.ask("request", request)).toBe(code);
    await setWallet(card.walletId, "Active");
    expect(await desk.ask("request", request)).toBe(code);
    expect(await desk.kept(request.transactionId)).toMatchObject({ transaction: "Declined" });
    expect(await desk.used(card.cardId)).toEqual([]);
    expect(await desk.available(card.walletId)).toBe(cents);
    // Nothing was paid, and nothing is given back.
    expect(await desk.ask("reversal", reversal(card, request.transactionId))).toBe("00");
    expect(await desk.available(card.walletId)).toBe(cents);
    expect(await desk.kept(request.transactionId)).toMatchObject({ transaction: "Declined" });
  });

  test("no wallet, none of that name, another partner's", async () => {
    for (const financialReference of ["nobody's", "01890a5d-ac96-774b-bcce-b302099a8057"]) {
      const { panToken } = await paidCard(wallets.database, 0n, { financialReference });
      expect(await desk.ask("request", o2iRequest(panToken))).toBe("14");
      const inquiry = o2iRequest(panToken, { type: 30, billingAmount: null });
      expect(await desk.ask("inquiry", inquiry)).toBe("14");
    }
  });
});

test("an inquiry tells what is available and moves nothing, whichever way it comes", async () => {
  const { panToken, walletId, cardId } = await paidCard(wallets.database, 4_200n);
  for (const kind of ["inquiry", "request"] as const) {
    const request = o2iRequest(panToken, {
      type: 30,
      billingAmount: null,
      transactionAmount: null,
    });
    expect(await desk.send(kind, request)).toMatchObject({
      ...{ responseCode: "00", availableBalance: 42 },
    });
    expect(await desk.kept(request.transactionId)).toMatchObject({ transaction: null });
  }
  expect(await desk.used(cardId)).toEqual([]);
  expect(await desk.available(walletId)).toBe(4_200n);
});

describe("a reversal gives the money back once:", () => {
  const paid = async () => {
    const card = await paidCard(wallets.database, 10_000n);
    const request = o2iRequest(card.panToken);
    expect(await desk.ask("request", request)).toBe("00");
    return { card, request };
  };
  const isBack = async ({ card, request }: Awaited<ReturnType<typeof paid>>): Promise<void> => {
    expect(await desk.available(card.walletId)).toBe(10_000n);
    expect(await desk.kept(request.transactionId)).toMatchObject({
      ...{ status: "Reversed", transaction: "Reversed" },
    });
    expect(await desk.used(card.cardId)).toEqual([]);
    expect(await desk.ask("request", request)).toBe("00");
    expect(await desk.available(card.walletId)).toBe(10_000n);
  };

  test("asked for again, under another identifier, and at once", async () => {
    const one = await paid();
    const ask = reversal(one.card, one.request.transactionId);
    const others = [1, 2, 3].map(() => reversal(one.card, one.request.transactionId));
    const codes = await Promise.all(
      [ask, ask, ...others].map((asked) => desk.ask("reversal", asked)),
    );
    expect(codes).toEqual(["00", "00", "00", "00", "00"]);
    await isBack(one);
  });

  test.each(["Suspended", "Closed"])("to a wallet that is %s", async (status) => {
    const one = await paid();
    await setWallet(one.card.walletId, status);
    expect(await desk.ask("reversal", reversal(one.card, one.request.transactionId))).toBe("00");
    if (status === "Suspended") {
      await setWallet(one.card.walletId, "Active");
      await isBack(one);
    } else expect(await desk.available(one.card.walletId)).toBe(7_000n);
  });

  test.each(["TransferInitializeRequested", "TransferFailed", "Completed"])(
    "of a payment that is %s",
    async (status) => {
      const one = await paid();
      await setOperations(one.card.walletId, status);
      const again = [1, 2].map(() => reversal(one.card, one.request.transactionId));
      for (const asked of again) expect(await desk.ask("reversal", asked)).toBe("00");
      await isBack(one);
    },
  );

  test("with its fee, unless settlement has taken it: then the fee stays", async () => {
    const { database } = wallets;
    await database.execute(
      `update borsello.partner set settings = (settings::jsonb || $1::jsonb)::json
       where partner_key = 'acme'`,
      [JSON.stringify({ fees: [{ family: "Payment", fixedCents: 50 }] })],
    );
    const dear = await openDesk(database);
    for (const [status, left] of [
      ["Confirmed", 10_000n],
      ["TransferInitializeRequested", 9_950n],
    ] as const) {
      const card = await paidCard(database, 10_000n);
      const request = o2iRequest(card.panToken);
      expect(await dear.ask("request", request)).toBe("00");
      expect(await desk.available(card.walletId)).toBe(6_950n);
      await setOperations(card.walletId, status);
      expect(await dear.ask("reversal", reversal(card, request.transactionId))).toBe("00");
      expect(await desk.available(card.walletId)).toBe(left);
    }
  });

  test("of a settled payment whose wallet is closed: a person decides about it", async () => {
    const one = await paid();
    await setOperations(one.card.walletId, "Completed");
    await setWallet(one.card.walletId, "Closed");
    expect(await desk.ask("reversal", reversal(one.card, one.request.transactionId))).toBe("00");
    expect(await desk.available(one.card.walletId)).toBe(7_000n);
  });

  test("not where the payment was terminated in the wallet", async () => {
    const one = await paid();
    await wallets.database.execute(
      `select borsello.terminate_posted(o, 'acme-client') from borsello.operation as o
       where wallet_id = $1 and type = 'Payment'`,
      [one.card.walletId],
    );
    expect(await desk.ask("reversal", reversal(one.card, one.request.transactionId))).toBe("00");
    await isBack(one);
  });

  test("as a whole, of the card's own", async () => {
    const { card, request } = await paid();
    const { transactionId } = request;
    const other = await paidCard(wallets.database, 0n);
    expect(
      await desk.ask("reversal", reversal(card, transactionId, { billingAmount: 29.99 })),
    ).toBe("13");
    expect(await desk.ask("reversal", reversal(other, transactionId))).toBe("12");
    expect(await desk.available(card.walletId)).toBe(7_000n);
    const none = { billingAmount: null, transactionAmount: null };
    expect(await desk.ask("reversal", reversal(card, transactionId, none))).toBe("00");
    expect(await desk.available(card.walletId)).toBe(10_000n);
  });

  test("whatever became of the card", async () => {
    const one = await paid();
    await wallets.database.execute(
      "update borsello.card set status = 'Deleted' where card_id = $1",
      [one.card.cardId],
    );
    expect(await desk.ask("reversal", reversal(one.card, one.request.transactionId))).toBe("00");
    await isBack(one);
  });
});

test("what comes after its reversal is not paid", async () => {
  const card = await paidCard(wallets.database, 10_000n);
  const late = o2iRequest(card.panToken);
  expect(await desk.ask("reversal", reversal(card, late.transactionId))).toBe("00");
  expect(await desk.ask("request", late)).toBe("05");
  expect(await desk.available(card.walletId)).toBe(10_000n);
});

describe("killed after the wallet has paid, before the answer is kept:", () => {
  const killed = async () => {
    const card = await paidCard(wallets.database, 10_000n);
    const request = o2iRequest(card.panToken);
    const dies: typeof desk.wallets = {
      ask: async (...asked) => {
        await desk.wallets.ask(...asked);
        throw new Error("killed");
      },
    };
    await expect(desk.ask("request", request, dies)).rejects.toThrow("killed");
    expect(await desk.available(card.walletId)).toBe(7_000n);
    expect(await desk.used(card.cardId)).toMatchObject([{ overall: 3_000n }]);
    return { card, request };
  };

  test("asked for again it is paid once", async () => {
    const { card, request } = await killed();
    await desk.age(request.transactionId, 11);
    expect(await desk.ask("request", request)).toBe("00");
    expect(await desk.available(card.walletId)).toBe(7_000n);
    expect(await desk.used(card.cardId)).toMatchObject([{ overall: 3_000n }]);
  });

  test("given up it is declined for good, and given back once", async () => {
    const { card, request } = await killed();
    const { transactionId } = request;
    expect(await endLost(wallets.database, 10)).toBe(0);
    await desk.age(transactionId, 61);
    expect(await endLost(wallets.database, 10)).toBe(1);
    expect(await endLost(wallets.database, 10)).toBe(0);
    expect(await desk.kept(transactionId)).toEqual({
      ...{ status: "Abandoned", transaction: "Declined", reversalDueIn: 0 },
    });
    expect(await desk.used(card.cardId)).toEqual([]);
    expect(await desk.ask("request", request)).toBe("91");
    const told = reversalOf(request);
    const target = { endpoint: "wallet", auth: { kind: "none" }, standIn: null } as const;
    const tell = () => desk.wallets.ask({ ...target, partnerKey: "acme" }, "reversal", told);
    expect(await tell()).toEqual(await tell());
    expect(await desk.ask("reversal", reversal(card, transactionId))).toBe("00");
    expect(await desk.available(card.walletId)).toBe(10_000n);
  });

  test("reversed by the processor it is given up and given back", async () => {
    const { card, request } = await killed();
    await desk.age(request.transactionId, 11);
    expect(await desk.ask("reversal", reversal(card, request.transactionId))).toBe("00");
    expect(await desk.available(card.walletId)).toBe(10_000n);
    expect(await desk.ask("request", request)).toBe("91");
    expect(await desk.used(card.cardId)).toEqual([]);
  });
});

test("killed before the wallet was asked, and reversed: it is not paid by whoever comes late", async () => {
  const card = await paidCard(wallets.database, 10_000n);
  const request = o2iRequest(card.panToken);
  const sleeps: typeof desk.wallets = {
    ask: async (affiliate, kind, asked) => {
      await desk.age(request.transactionId, 61);
      await endLost(wallets.database, 10);
      await desk.wallets.ask(affiliate, "reversal", reversalOf(asked));
      return desk.wallets.ask(affiliate, kind, asked);
    },
  };
  expect(await desk.ask("request", request, sleeps)).toBe("91");
  expect(await desk.available(card.walletId)).toBe(10_000n);
});
