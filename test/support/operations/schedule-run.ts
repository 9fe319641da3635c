/** Random commands of several clients on one wallet at once, held against one serial order. */
import fc from "fast-check";
import { expect } from "vitest";
import { z } from "zod";
import type { Database } from "../../../shared/database/platform/database.js";
import type { CommandOutcome } from "../../../shared/database/operations/commands.js";
import { isSerial, type Done } from "../database/serial-order.js";
import { wrongInBooks } from "./books.js";
import { commandsOn, freshKey, type Commands } from "./commands.js";
import {
  feeCents,
  operationNames,
  scheduleModel,
  startingState,
  type Command,
  type State,
} from "./schedule-model.js";
import { openStore } from "../stores/store-fixtures.js";
import { openWallet } from "../wallet/wallet-fixtures.js";

const Status = z.looseObject({ status: z.string().optional() });

const answerOf = (outcome: CommandOutcome): string =>
  outcome.ok ? (Status.parse(JSON.parse(outcome.value)).status ?? "Initialized") : outcome.code;

const rules = [
  {
    ...{ family: "Payment", fixedCents: feeCents, percent: 0, minimumCents: 0, maximumCents: null },
    ...{ beneficiary: "platform", debtor: "wallet" },
  },
];

const commandArbitrary: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom("initialise" as const),
      name: fc.constantFrom(...operationNames),
    }),
  },
  {
    weight: 7,
    arbitrary: fc.record({
      do: fc.constantFrom("confirm" as const, "cancel" as const, "terminate" as const),
      name: fc.constantFrom(...operationNames),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom(
        "confirmGroup" as const,
        "cancelGroup" as const,
        "terminateGroup" as const,
      ),
    }),
  },
);

const Row = z.object({ key: z.string(), status: z.string() });
const End = z.object({ balance: z.bigint(), group: z.string() });

export interface Schedules {
  /** How many schedules run beside each other, each on a wallet of its own, by up to four clients. */
  readonly atOnce: number;
  /** How many commands are to be answered, at least. */
  readonly commands: number;
  /** Told how many of them one schedule has brought. */
  readonly answered?: (commands: number) => void;
}

/** So many schedules of one series; its seed is shown where one of them fails. */
const ofSeries = 25;

/** `processes`: neither knows what the other has in work. */
export const runSchedules = async (
  database: Database,
  processes: readonly Commands[],
  { atOnce, commands: wanted, answered }: Schedules,
): Promise<void> => {
  const { storeId } = await openStore(database);
  let heardOf = 0;
  const schedule = fc.array(fc.array(commandArbitrary, { minLength: 2, maxLength: 7 }), {
    minLength: 2,
    maxLength: 4,
  });
  const property = () =>
    fc.asyncProperty(schedule, async (clients) => {
      const { walletId } = await openWallet(database);
      const [first = commandsOn(database)] = processes;
      await first.confirmed({
        ...{
          walletId,
          type: "LoyaltyDeposit",
          cents: startingState.balance,
          storeId,
          feeRules: [],
        },
      });
      const group = first.groupOf(await first.initialiseGroup(walletId));
      const keys = new Map(operationNames.map((name) => [name, freshKey()]));
      const ids = new Map<string, string>();

      const perform = async (on: Commands, command: Command): Promise<string | undefined> => {
        if (!("name" in command))
          return answerOf(await on.changeGroup(command.do, walletId, group));
        const { kind, cents, inGroup } = scheduleModel.described(command.name);
        const type = kind === "deposit" ? "LoyaltyDeposit" : "Payment";
        if (command.do === "initialise") {
          const key = keys.get(command.name) ?? "";
          for (;;) {
            const outcome = await on.initialise({
              ...{ walletId, type, cents, key, storeId, fundsType: "Loyalty", feeRules: rules },
              operationGroupId: inGroup ? group : null,
            });
            if (!outcome.ok && outcome.code === "IdempotencyKeyInUse") continue;
            if (outcome.ok) {
              const made = z.looseObject({ operationId: z.string() });
              ids.set(command.name, made.parse(JSON.parse(outcome.value)).operationId);
            }
            return answerOf(outcome);
          }
        }
        const id = ids.get(command.name);
        if (id === undefined) return undefined;
        return answerOf(await on.change(command.do, { walletId, type }, id));
      };

      const done = await Promise.all(
        clients.map(async (commands, index) => {
          const on = processes[index % processes.length] ?? first;
          const heard: Done<Command, string>[] = [];
          for (const command of commands) {
            const answer = await perform(on, command);
            if (answer !== undefined) heard.push({ command, answer });
          }
          return heard;
        }),
      );

      const rows = await database.rows(
        Row,
        `select idempotency_key as key, status from borsello.operation where wallet_id = $1`,
        [walletId],
      );
      const end = await database.row(
        End,
        `select (select sum(balance_cents)::bigint from borsello.bucket where wallet_id = $1) as balance,
           status as group from borsello.operation_group where wallet_id = $1`,
        [walletId],
      );
      const statuses = new Map(rows.map(({ key, status }) => [key, status]));
      const found: State = {
        balance: end?.balance ?? 0n,
        group: end?.group ?? "",
        operations: operationNames.map((name) => statuses.get(keys.get(name) ?? "") ?? "-"),
      };
      expect(
        isSerial(scheduleModel, scheduleModel.json(startingState), scheduleModel.json(found), done),
        JSON.stringify({ done, found: scheduleModel.json(found) }),
      ).toBe(true);
      heardOf += done.flat().length;
      answered?.(done.flat().length);
    });
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (heardOf < wanted) await fc.assert(property(), { numRuns: ofSeries });
    }),
  );
  expect(await wrongInBooks(database)).toEqual([]);
};
