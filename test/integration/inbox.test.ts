/** The inbox on a real database: a message's change is made once, however often it is delivered. */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { handleOnce } from "../../shared/events/inbox.js";
import { countOf, openBankTest } from "../support/bank-fixtures.js";
import type { BankTest } from "../support/bank-fixtures.js";

let bank: BankTest;
beforeAll(async () => {
  bank = await openBankTest();
});
afterAll(() => bank.end());

const audited = (entityId: string) =>
  countOf(bank.database, "select count(*) from borsello.audit where entity_id = $1", [entityId]);

const handle = (handler: string, messageId: string, end?: () => void) =>
  handleOnce(bank.database, { handler, messageId }, async (tx) => {
    await tx.execute(
      `insert into borsello.audit (actor, entity, entity_id, action)
       values ('test', 'Message', $1, 'handle')`,
      [messageId],
    );
    end?.();
    return "changed";
  });

test("twenty deliveries at once change once, and one of them is the first", async () => {
  const messageId = randomUUID();
  const answers = await Promise.all(Array.from({ length: 20 }, () => handle("one", messageId)));
  expect(answers.filter(({ first }) => first)).toEqual([{ first: true, result: "changed" }]);
  expect(await audited(messageId)).toBe(1);
});

test("two handlers each change once", async () => {
  const messageId = randomUUID();
  await handle("one", messageId);
  await handle("other", messageId);
  expect(await audited(messageId)).toBe(2);
});

test("a change that fails leaves no mark: the next delivery makes it", async () => {
  const messageId = randomUUID();
  const failing = handle("one", messageId, () => {
    throw new Error("out of order");
  });
  await expect(failing).rejects.toThrow("out of order");
  expect(await audited(messageId)).toBe(0);
  expect(await handle("one", messageId)).toEqual({ first: true, result: "changed" });
});
