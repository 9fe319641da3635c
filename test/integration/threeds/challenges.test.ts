/** A challenge among its neighbours: early, late, twice, elsewhere, with the card and the record gone. */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { challengeSweep } from "../../../functions/schedule/challenge-sweep.js";
import { cleanUpThreeDs } from "../../../functions/schedule/threeds-cleanup.js";
import { sweepFlowsOf } from "../../../functions/schedule/sweep.js";
import type { Database } from "../../../shared/database/platform/database.js";
import { findRun, requestRun, workRun } from "../../../shared/database/settlement/runs.js";
import { termsOf } from "../../../shared/database/settlement/terms.js";
import { setDevices } from "../../../shared/database/threeds/devices.js";
import { timeOutChallenge } from "../../../shared/database/threeds/flow-state.js";
import { riskBody, threeDsOf, type ThreeDs } from "../../support/threeds/challenges.js";
import type { PushSender } from "../../../shared/database/threeds/pushes.js";
import { noteStartedFlows } from "../../support/durable/started-flows.js";
import { silentLogger } from "../../support/wallet/bank-fixtures.js";
import {
  acme,
  globex,
  made,
  openWalletTest,
  type WalletTest,
} from "../../support/wallet/wallet-fixtures.js";

let platform: WalletTest;
let threeDs: ThreeDs;
beforeAll(async () => {
  platform = await openWalletTest();
  threeDs = threeDsOf(() => platform.database);
});
afterAll(() => platform.end());

const dayMs = 86_400_000;
const statusOf = async (transaction: { readonly transactionId: string }): Promise<string> =>
  (await threeDs.row(transaction)).status;
const refused = (code: string, properties: object = {}) => ({ ok: false, code, properties });

/** In one transaction no time passes. */
const within = <Value>(work: (still: ThreeDs) => Promise<Value>): Promise<Value> =>
  platform.database.enclosed((still: Database) => work(threeDsOf(() => still)));

describe("a result", () => {
  test.each(["assessed", "listed"] as const)(
    "before a challenge was raised (%s) finds none, and changes nothing",
    async (state) => {
      const transaction = await threeDs[state]();
      const before = await threeDs.row(transaction);
      expect(await threeDs.result(transaction)).toMatchObject(
        refused("ThreeDsTransactionNotFound"),
      );
      expect(await threeDs.row(transaction)).toEqual(before);
      expect(await threeDs.told(transaction)).toEqual([]);
    },
  );

  test.each([
    [true, "07", "Authenticated"],
    [true, "08", "Authenticated"],
    [false, "07", "NotAuthenticated"],
    [false, "08", "NotAuthenticated"],
  ] as const)("of %s by %s is %s, and tells so once", async (authenticated, method, status) => {
    const transaction = await threeDs.raised();
    const { transactionId, cardId } = transaction;
    const resolved = made(await threeDs.result(transaction, authenticated, method));
    expect(resolved).toMatchObject({ transactionId, status, authMethod: method });
    const { resolvedAt } = resolved;
    expect(await threeDs.told(transaction)).toMatchObject([
      {
        subject: "ThreeDsResolved",
        body: {
          ...{ partnerKey: "acme", transactionId, cardId, status, authMethod: method, resolvedAt },
          ...{ previousStatus: "OobRaised", riskLevel: "MEDIUM" },
        },
      },
    ]);
  });

  test("again is refused with the status that the first one left, and tells nothing", async () => {
    const transaction = await threeDs.raised();
    made(await threeDs.result(transaction, true, "07"));
    await threeDs.pass(60_000);
    const over = refused("OobAlreadyResolved", { status: "Authenticated" });
    expect(await threeDs.result(transaction, true, "07")).toMatchObject(over);
    expect(await threeDs.result(transaction, false, "07")).toMatchObject(over);
    expect(await threeDs.result(transaction, true, "08")).toMatchObject(over);
    expect(await threeDs.told(transaction)).toHaveLength(1);
  });

  test("that comes ten times at once, five of each kind, counts once", async () => {
    const transaction = await threeDs.raised();
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, place) => threeDs.result(transaction, place % 2 === 0)),
    );
    const [taken, ...more] = answers.filter(({ ok }) => ok);
    expect(more).toEqual([]);
    const { status } = await threeDs.row(transaction);
    expect(taken).toMatchObject({ value: { status } });
    for (const answer of answers)
      if (answer !== taken) expect(answer).toMatchObject(refused("OobAlreadyResolved", { status }));
    expect(await threeDs.told(transaction)).toHaveLength(1);
  });

  test.each([
    ["a millisecond before its time has run out", "Authenticated", 1 / 60_000],
    ["at the moment at which its time runs out", "TimedOut", 0],
  ])("%s leaves it %s", async (_when, status, minutes) => {
    const transaction = await threeDs.listed();
    const answer = await within(async (still) => {
      made(await still.raise(transaction, acme, minutes));
      return still.result(transaction);
    });
    expect(await statusOf(transaction)).toBe(status);
    if (status === "TimedOut")
      expect(answer).toMatchObject(refused("OobAlreadyResolved", { status }));
    else expect(made(answer).status).toBe(status);
    expect(await threeDs.told(transaction)).toMatchObject([{ body: { status } }]);
  });

  test("and the flow's time-out at once: one of them counts, whoever comes first", async () => {
    const transaction = await threeDs.raised();
    const { threeDsId } = await threeDs.row(transaction);
    expect(await timeOutChallenge(platform.database, threeDsId)).toBe(false);
    await threeDs.pass(5 * 60_000);
    const [result, ...ends] = await Promise.all([
      threeDs.result(transaction),
      timeOutChallenge(platform.database, threeDsId),
      timeOutChallenge(platform.database, threeDsId),
    ]);
    expect(result).toMatchObject(refused("OobAlreadyResolved", { status: "TimedOut" }));
    expect(ends.filter((isMine) => isMine).length).toBeLessThan(2);
    expect(await threeDs.told(transaction)).toMatchObject([
      { body: { status: "TimedOut", authMethod: null } },
    ]);
  });
});

describe("a raise", () => {
  test("pushes what is to be confirmed, and waits five minutes for it", async () => {
    const transaction = await threeDs.listed();
    const { transactionId, deviceId } = transaction;
    const raised = await within(async (still) => {
      const answer = made(await still.raise(transaction));
      const { expiresAt } = await still.row(transaction);
      return { answer, expiresAt, now: await still.now() };
    });
    const oobAppUrl = `borsello://oob?transactionId=${transactionId}`;
    expect(raised.answer).toEqual({ status: 0, oobAppUrl });
    expect(Date.parse(raised.expiresAt ?? "") - Date.parse(raised.now)).toBe(5 * 60_000);
    expect(await threeDs.pushes(transaction)).toMatchObject([
      { deviceId, message: { transactionId, merchantName: "Bottega", purchaseAmount: "20000" } },
    ]);
  });

  test("before a device was listed knows none", async () => {
    const transaction = await threeDs.assessed();
    const [device] = await threeDs.devicesOf(transaction);
    const raised = await threeDs.raise({ ...transaction, deviceId: device?.deviceId ?? "" });
    expect(made(raised)).toEqual({ status: 1, oobAppUrl: null });
    expect(await statusOf(transaction)).toBe("Assessed");
  });

  test("on a device that nobody has, or that another card holder has, changes nothing", async () => {
    const [transaction, other] = [await threeDs.listed(), await threeDs.listed()];
    for (const deviceId of ["nothing", other.deviceId])
      expect(made(await threeDs.raise({ ...transaction, deviceId })).status).toBe(1);
    expect(await statusOf(transaction)).toBe("DeviceListed");
    expect(await threeDs.pushes(transaction)).toEqual([]);
  });

  test("again, and ten times at once, is one challenge with one end and one push", async () => {
    const transaction = await threeDs.listed();
    const raise = () => threeDs.raise(transaction);
    const answers = await Promise.all(Array.from({ length: 10 }, raise));
    for (const answer of answers) expect(made(answer).status).toBe(0);
    const first = await threeDs.row(transaction);
    await threeDs.pass(60_000);
    expect(made(await raise()).status).toBe(0);
    expect(await threeDs.row(transaction)).toEqual(first);
    expect(await threeDs.pushes(transaction)).toHaveLength(1);
  });

  test("on another device moves the challenge there, and its time begins anew", async () => {
    const transaction = await threeDs.raised();
    const first = await threeDs.row(transaction);
    await threeDs.pass(4 * 60_000);
    const [other] = made(await threeDs.list(transaction, "SmsMac"));
    const deviceId = other?.deviceId ?? "";
    expect(made(await threeDs.raise({ ...transaction, deviceId })).status).toBe(0);
    const moved = await threeDs.row(transaction);
    expect(moved).toMatchObject({ status: "OobRaised", deviceId });
    expect((moved.expiresAt ?? "") > (first.expiresAt ?? "")).toBe(true);
    await threeDs.pass(2 * 60_000);
    expect(await timeOutChallenge(platform.database, moved.threeDsId)).toBe(false);
    expect(made(await threeDs.result(transaction)).status).toBe("Authenticated");
  });

  test("that does not arrive is told so, and may be raised once the device is back", async () => {
    const transaction = await threeDs.listed();
    const { cardId, deviceId } = transaction;
    const device = { deviceId, displayVal: "App", authenticationType: null };
    await setDevices(platform.database, cardId, [{ ...device, isReachable: false }]);
    expect(made(await threeDs.raise(transaction))).toEqual({ status: 2, oobAppUrl: null });
    expect(await statusOf(transaction)).toBe("DeviceListed");
    expect(await threeDs.result(transaction)).toMatchObject(refused("ThreeDsTransactionNotFound"));
    await setDevices(platform.database, cardId, [{ ...device, isReachable: true }]);
    expect(made(await threeDs.raise(transaction)).status).toBe(0);
    expect(await statusOf(transaction)).toBe("OobRaised");
  });

  test("whose push was cut off stays open, takes its result, and is pushed when it is raised again", async () => {
    const [answered, repeated] = [await threeDs.listed(), await threeDs.listed()];
    const cut: PushSender = { push: () => Promise.reject(new Error("cut off")) };
    for (const transaction of [answered, repeated])
      await expect(threeDs.raise(transaction, acme, 5, cut)).rejects.toThrow("cut off");
    const before = await threeDs.row(repeated);
    expect(before.status).toBe("OobRaised");
    expect(made(await threeDs.result(answered)).status).toBe("Authenticated");
    expect(made(await threeDs.raise(repeated)).status).toBe(0);
    expect(await threeDs.row(repeated)).toEqual(before);
    expect(await threeDs.pushes(repeated)).toHaveLength(1);
  });

  test("whose push fails after all takes nothing back that was answered meanwhile", async () => {
    const transaction = await threeDs.listed();
    const late: PushSender = {
      push: async () => {
        made(await threeDs.result(transaction));
        return false;
      },
    };
    expect(made(await threeDs.raise(transaction, acme, 5, late)).status).toBe(2);
    expect(await statusOf(transaction)).toBe("Authenticated");
    expect(await threeDs.told(transaction)).toHaveLength(1);
  });

  test.each(["Authenticated", "NotAuthenticated", "TimedOut"])(
    "of one that is %s finds it over",
    async (status) => {
      const transaction = await threeDs.raised();
      if (status === "TimedOut") await threeDs.pass(5 * 60_000);
      else made(await threeDs.result(transaction, status === "Authenticated"));
      expect(made(await threeDs.raise(transaction))).toEqual({ status: 3, oobAppUrl: null });
      expect(await statusOf(transaction)).toBe(status);
      expect(await threeDs.told(transaction)).toHaveLength(1);
    },
  );
});

describe("devices", () => {
  test("are one of each type from the start, the same at each look and on each card", async () => {
    const transaction = await threeDs.assessed();
    const devices = await threeDs.devicesOf(transaction);
    expect(new Set(devices.map(({ deviceId }) => deviceId)).size).toBe(7);
    for (const { deviceId, displayVal, authenticationType } of devices)
      expect(made(await threeDs.list(transaction, authenticationType ?? "OobPush"))).toEqual([
        { deviceId, displayVal },
      ]);
    expect(await statusOf(transaction)).toBe("DeviceListed");
  });

  test.each([
    ["none", []],
    ["none of the type", ["SmsMac"]],
    ["two of the type", ["OobPush", "OobPush"]],
    ["one of the type and one that serves every type", ["OobPush", null]],
  ] as const)("that are not one are refused: %s", async (_what, types) => {
    const transaction = await threeDs.assessed();
    const devices = types.map((authenticationType, place) => ({
      ...{ deviceId: `D${place}`, displayVal: `Device ${place}` },
      ...{ authenticationType, isReachable: true },
    }));
    await setDevices(platform.database, transaction.cardId, devices);
    expect(await threeDs.list(transaction)).toMatchObject(refused("DeviceNotUnique"));
    expect(await statusOf(transaction)).toBe("Assessed");
  });

  test("are listed for the token of the transaction's own card alone", async () => {
    const [transaction, { panToken }] = [await threeDs.assessed(), await threeDs.card()];
    const { transactionId } = transaction;
    expect(await threeDs.list({ transactionId, panToken })).toMatchObject(
      refused("CardTokenInvalid"),
    );
  });
});

describe("a risk", () => {
  test("asked for again is the same, whatever became of the card, and counts once", async () => {
    const { panToken, cardId } = await threeDs.card();
    const low = { purchaseAmount: "2000" };
    const body = riskBody(panToken, low);
    const answers = await Promise.all(Array.from({ length: 6 }, () => threeDs.risk(body)));
    for (const answer of answers)
      expect(made(answer)).toEqual({ riskLevel: "LOW", whitelistStatus: "N" });
    const bought = [];
    while (bought.length < 5)
      bought.push(made(await threeDs.risk(riskBody(panToken, low))).riskLevel);
    expect(bought).toEqual(["LOW", "LOW", "LOW", "LOW", "MEDIUM"]);
    await platform.database.execute(
      "update borsello.card set status = 'Deleted' where card_id = $1",
      [cardId],
    );
    expect(made(await threeDs.risk(body)).riskLevel).toBe("LOW");
    expect(made(await threeDs.risk(riskBody(panToken, low))).riskLevel).toBe("HIGH");
  });

  test("of many purchases of low value at once lets five of them pass", async () => {
    const { panToken } = await threeDs.card();
    const answers = await Promise.all(
      Array.from({ length: 12 }, () =>
        threeDs.risk(riskBody(panToken, { purchaseAmount: "1000" })),
      ),
    );
    expect(answers.filter((answer) => made(answer).riskLevel === "LOW")).toHaveLength(5);
  });

  test("of low value passes again once the card holder was authenticated, and not before", async () => {
    const { panToken } = await threeDs.card();
    const buy = async () =>
      made(await threeDs.risk(riskBody(panToken, { purchaseAmount: "3000" }))).riskLevel;
    expect([await buy(), await buy(), await buy(), await buy()]).toEqual([
      "LOW",
      "LOW",
      "LOW",
      "MEDIUM",
    ]);
    const challenge = async (authenticated: boolean) => {
      const body = riskBody(panToken);
      made(await threeDs.risk(body));
      const transaction = { transactionId: body.transactionId, panToken };
      const [device] = made(await threeDs.list(transaction));
      made(await threeDs.raise({ ...transaction, deviceId: device?.deviceId ?? "" }));
      made(await threeDs.result(transaction, authenticated));
    };
    await challenge(false);
    expect(await buy()).toBe("MEDIUM");
    await challenge(true);
    expect(await buy()).toBe("LOW");
  });

  test("of another purchase under the same id is refused, and tells nothing of the first", async () => {
    const { panToken } = await threeDs.card();
    const body = riskBody(panToken);
    made(await threeDs.risk(body));
    for (const change of [{ purchaseAmount: "1" }, { whitelistStatus: "Y" as const }])
      expect(await threeDs.risk({ ...body, ...change })).toMatchObject(refused("ValidationFailed"));
    // What was left out and what is null are the same.
    expect(made(await threeDs.risk({ ...body, dsTransactionId: null })).riskLevel).toBe("MEDIUM");
  });

  test.each([
    [
      "an account that is LOCKED",
      "update borsello.card_account set status = 'LOCKED', lock_level = 'Admin' where account_id = $1",
    ],
    [
      "a card that is Locked",
      "update borsello.card set status = 'Locked', lock_level = 'Client' where account_id = $1",
    ],
    ["a card that is Blocked", "update borsello.card set status = 'Blocked' where account_id = $1"],
    [
      "a card past its month",
      "update borsello.card set expiry_date = borsello.platform_now() - interval '40 days' where account_id = $1",
    ],
  ])("of %s is HIGH", async (_what, change) => {
    const { panToken, accountId } = await threeDs.card();
    await platform.database.execute(change, [accountId]);
    expect(made(await threeDs.risk(riskBody(panToken, { purchaseAmount: "1" }))).riskLevel).toBe(
      "HIGH",
    );
  });
});

test("a card that is blocked meanwhile leaves its challenge as it is: nothing is paid by it", async () => {
  const transaction = await threeDs.raised();
  await platform.database.execute(
    "update borsello.card set status = 'Blocked' where card_id = $1",
    [transaction.cardId],
  );
  expect(made(await threeDs.raise(transaction)).status).toBe(0);
  expect(made(await threeDs.result(transaction)).status).toBe("Authenticated");
});

test("another affiliate reads, raises and resolves nothing of it, and takes no token of it", async () => {
  const transaction = await threeDs.raised();
  const body = riskBody(transaction.panToken, { transactionId: transaction.transactionId });
  const before = await threeDs.row(transaction);
  for (const answer of [
    await threeDs.risk(body, globex),
    await threeDs.list(transaction, "OobPush", globex),
    await threeDs.raise(transaction, globex),
    await threeDs.result(transaction, true, "07", globex),
  ])
    expect(answer).toMatchObject(refused("AccountOfAnotherAffiliate"));
  expect(await threeDs.risk(riskBody(transaction.panToken), globex)).toMatchObject(
    refused("CardTokenInvalid"),
  );
  expect(await threeDs.row(transaction)).toEqual(before);
  const nobody = { transactionId: randomUUID(), panToken: transaction.panToken, deviceId: "D" };
  for (const answer of [
    await threeDs.list(nobody),
    await threeDs.raise(nobody),
    await threeDs.result(nobody),
  ])
    expect(answer).toMatchObject(refused("ThreeDsTransactionNotFound"));
});

test("open challenges get a flow anew a minute after their raise, resolved ones none", async () => {
  const [open, resolved] = [await threeDs.raised(), await threeDs.raised()];
  made(await threeDs.result(resolved));
  const { threeDsId } = await threeDs.row(open);
  const means = { database: platform.database, logger: silentLogger };
  const sweep = () => sweepFlowsOf(means, noteStartedFlows().client, challengeSweep(means));
  expect(await sweep()).not.toContain(`challenge-${threeDsId}`);
  await threeDs.pass(61_000);
  const swept = await sweep();
  expect(swept).toContain(`challenge-${threeDsId}`);
  expect(swept).not.toContain(`challenge-${(await threeDs.row(resolved)).threeDsId}`);
});

describe("a cleanup", () => {
  const clean = async (daysAgo: number): Promise<number> => {
    const { database } = platform;
    const run = await requestRun(database, {
      ...{ partnerKey: "acme", flow: "ThreeDsCleanup", type: null, subjectId: null, actor: "test" },
      ...{ upTo: { daysAgo }, isScheduled: false, isIgnored: false },
    });
    const terms = await termsOf(database, "acme", { silenceSeconds: 10, collectionAccount: null });
    while (!(await workRun(database, run?.runId ?? "", terms)).isLast);
    const done = await findRun(database, "acme", run?.runId ?? "");
    expect(done).toMatchObject({ flow: "ThreeDsCleanup", status: "Completed", failures: 0 });
    return done?.items ?? 0;
  };

  test("removes what is past its retention, but no open challenge, which goes on and ends", async () => {
    await clean(0);
    const [old, open] = [await threeDs.listed(), await threeDs.listed()];
    await threeDs.pass(401 * dayMs);
    made(await threeDs.raise(open));
    const young = await threeDs.raised();
    // Who has nothing else that is old.
    await cleanUpThreeDs({ database: platform.database });
    await cleanUpThreeDs({ database: platform.database });
    const runs = await platform.database.rows(
      z.object({ flow: z.string() }),
      "select flow from borsello.flow_run where is_scheduled",
    );
    expect(runs).toEqual([{ flow: "ThreeDsCleanup" }]);
    expect(await clean(2_147_483_647)).toBe(0);
    expect(await clean(400)).toBe(1);
    expect(await threeDs.raise(old)).toMatchObject(refused("ThreeDsTransactionNotFound"));
    expect(made(await threeDs.result(open)).status).toBe("Authenticated");
    expect(await clean(400)).toBe(1);
    expect(await threeDs.result(open)).toMatchObject(refused("ThreeDsTransactionNotFound"));
    expect(await statusOf(young)).toBe("OobRaised");
  });
});
