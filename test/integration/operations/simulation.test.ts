/** A simulation answers what the initialisation after it does: amounts, fees, limits, refusal. */
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { families, type FamilyType } from "../../../shared/domain/operations/families.js";
import type { FeeRule } from "../../../shared/domain/operations/fees.js";
import { wrongInBooks } from "../../support/operations/books.js";
import { commandsOn, defaultLimits, type Asked } from "../../support/operations/commands.js";
import { isDebit, operationStates } from "../../support/operations/operation-states.js";
import { openWalletTest, type WalletTest } from "../../support/wallet/wallet-fixtures.js";

let wallets: WalletTest;
beforeAll(async () => {
  wallets = await openWalletTest();
});
afterAll(() => wallets.end());

const Result = z.looseObject({
  limits: z.record(z.string(), z.record(z.string(), z.union([z.number(), z.string()]))),
});

/** What one of them alone tells, and the bucket that a deposit opens. */
const withoutIdentifiers = (answer: string, type: FamilyType): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(Result.parse(JSON.parse(answer))).filter(
      ([name]) =>
        !["operationId", "operationGroupId"].includes(name) &&
        (isDebit(type) || name !== "bucketId"),
    ),
  );

/** Low, so that a few operations reach them to the cent. */
const limits = {
  ...defaultLimits,
  ...{ minimum: 100, maximum: 1_000, cash_deposit: 2_500, cash_withdrawal: 1_500 },
  ...{ maximum_cash: 900, welfare_deposit: 2_000 },
};

const rule = (family: string): fc.Arbitrary<FeeRule> =>
  fc.record({
    family: fc.constant(family),
    fixedCents: fc.integer({ min: 0, max: 120 }),
    percent: fc.integer({ min: 0, max: 50_000 }).map((each) => each / 10_000),
    minimumCents: fc.integer({ min: 0, max: 30 }),
    maximumCents: fc.option(fc.integer({ min: 30, max: 200 })),
    beneficiary: fc.constantFrom("platform", "scheme"),
    debtor: fc.constant("wallet"),
  });

const asking = fc.constantFrom(...(Object.keys(families) as FamilyType[])).chain((type) =>
  fc.record({
    type: fc.constant(type),
    cents: fc
      .oneof(fc.integer({ min: 1, max: 1_100 }), fc.constantFrom(99, 100, 900, 901, 1_000, 1_001))
      .map(BigInt),
    fundsType: fc.constantFrom("Standard" as const, "Loyalty" as const, "Welfare" as const),
    feeRules: fc.array(rule(type), { maxLength: 3 }),
    isWithdrawable: fc.boolean(),
    isConfirmed: fc.boolean(),
  }),
);

const binding: Readonly<Partial<Record<FamilyType, string>>> = {
  CashDeposit: "maximumLastMonthCashDeposit",
  CashWithdrawal: "maximumLastMonthCashWithdrawal",
  WelfareDeposit: "maximumAnnualWelfareDeposit",
};

test("whatever is asked for, and whatever was asked for before", async () => {
  const { database } = wallets;
  const states = operationStates(() => database);
  const commands = commandsOn(database);
  const heard = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(fc.array(asking, { minLength: 4, maxLength: 16 }), async (asked) => {
      const walletId = await states.walletId();
      for (const { isConfirmed, ...each } of asked) {
        const given: Asked = { ...each, walletId, limits, ...(await states.partyOf(each.type)) };
        const simulated = await commands.simulate(given);
        const initialised = await commands.initialise(given);
        const said = initialised.ok ? "done" : initialised.code;
        heard.set(said, (heard.get(said) ?? 0) + 1);
        if (initialised.ok) {
          if (!simulated.ok) throw new Error(`only the simulation was refused: ${simulated.code}`);
          expect(withoutIdentifiers(simulated.value, each.type)).toEqual(
            withoutIdentifiers(initialised.value, each.type),
          );
          const { operationId } = z
            .looseObject({ operationId: z.string() })
            .parse(JSON.parse(initialised.value));
          if (isConfirmed) await commands.change("confirm", given, operationId, limits);
        } else if (initialised.code === "LimitExceeded") {
          const { limitName = "", ...violated } = initialised.properties;
          expect(["maximum", "minimum", binding[each.type]]).toContain(limitName);
          if (!simulated.ok) throw new Error(`a violated limit is reported: ${simulated.code}`);
          const shown = Result.parse(JSON.parse(simulated.value)).limits[limitName] ?? {};
          expect(
            Object.fromEntries(Object.entries(shown).map(([name, value]) => [name, String(value)])),
          ).toEqual(violated);
        } else expect(simulated).toEqual(initialised);
      }
    }),
    { numRuns: 40 },
  );
  expect([...heard.keys()]).toEqual(
    expect.arrayContaining(["done", "LimitExceeded", "FeesExceedAmount", "InsufficientBalance"]),
  );
  expect(await wrongInBooks(database)).toEqual([]);
});
