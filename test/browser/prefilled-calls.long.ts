/** Every operation of every document, sent twice from its page as it is prefilled, in a real browser. */
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { endpointsOf } from "../../functions/endpoints.js";
import { operationsOf, readReference } from "../../functions/docs/reference/document.js";
import { hints } from "../../functions/docs/reference/remedies.js";
import { sandboxPartners } from "../../shared/database/sandbox/partners.js";
import { openApiDocument } from "../../shared/http/openapi.js";
import type { DocumentedApi } from "../../shared/http/openapi/security.js";
import { openSite } from "../support/browser/site.js";
import type { Look } from "../support/browser/visit.js";

const { visit } = openSite();

/** Operations that no click can bring about, with the answer that their page foretells. */
const foretold: Readonly<Record<string, string>> = {
  // A bank sends statements in its files alone: the sandbox's bank has none.
  getBankStatement: "404 BankStatementNotFound",
};

const routes = endpointsOf("development").map(({ route }) => route);
const settings = { version: "1.2.3", tokenPath: "/token", scope: "api://borsello/.default" };

interface Operation {
  readonly id: string;
  readonly status: string;
  /** The first of the list who may call it. */
  readonly partner: string | undefined;
}

const operationsIn = (api: DocumentedApi): readonly Operation[] =>
  operationsOf(readReference(openApiDocument(api, routes, settings))).map(
    ({ id, success, isOpen }) => {
      const role = routes.find((route) => route.id === id)?.role ?? null;
      const able = sandboxPartners.find(({ roles }) => role === null || roles.includes(role));
      return { id, status: success.status, partner: isOpen ? undefined : able?.partnerKey };
    },
  );

const desk: Look = { width: 1440, scheme: "light" };
const phone: Look = { width: 390, scheme: "light" };
const clickMs = 80_000;

/** The statuses of the calls that were made first and of the call itself, and what was told of a refusal. */
const send = async (page: Page): Promise<string> => {
  await page.getByRole("button", { name: "Send" }).click();
  await page.locator(".try.busy").waitFor({ state: "detached", timeout: clickMs });
  const lines = await page.locator(".outcome .line").allTextContents();
  const note = await page.locator(".send .note").textContent();
  const bodies = (await page.locator(".outcome pre").allTextContents()).join();
  const code = /"errorCode": "(\w+)"/.exec(bodies)?.[1] ?? "";
  const refusal = lines.findLast((line) => !line.trim().startsWith("2")) ?? "";
  return refusal === "" && note === ""
    ? (lines.at(-1) ?? "nothing").trim().slice(0, 3)
    : `${refusal.trim().slice(0, 3)} ${code} ${note ?? ""}`.trim();
};

/** Opens the operation's page, chooses who calls, and clicks twice. */
const tryTwice = async (
  page: Page,
  api: DocumentedApi,
  operation: Operation,
): Promise<string[]> => {
  await page.goto(`/docs/reference/${api}/${operation.id}`);
  if (operation.partner !== undefined)
    await page.getByLabel("Call as").selectOption(operation.partner);
  return [await send(page), await send(page)];
};

/** In a tab of its own, which knows of nothing yet. */
const inTab = async <Result>(look: Look, act: (page: Page) => Promise<Result>): Promise<Result> => {
  const visited = await visit(look);
  try {
    return await act(visited.page);
  } finally {
    await visited.end();
  }
};

const goesThrough = "$id goes through, twice, and so does what is made for it";

describe.each(["wallet", "ticketing", "card", "sandbox"] as const)("of the %s document", (api) => {
  const operations = operationsIn(api);
  const clickable = operations.filter(({ id }) => !(id in foretold));

  test.concurrent.for(clickable)(
    goesThrough,
    { timeout: 4 * clickMs },
    async (operation, { expect: expectOf }) => {
      const answers = await inTab(desk, (page) => tryTwice(page, api, operation));
      expectOf(answers).toEqual([operation.status, operation.status]);
    },
  );

  test(
    "all go through one after the other in one tab, which remembers what the others made and ended",
    { timeout: clickable.length * clickMs },
    async () => {
      const refused = await inTab(desk, async (page) => {
        const told: string[] = [];
        for (const operation of clickable) {
          const answers = await tryTwice(page, api, operation);
          if (answers.some((answer) => answer !== operation.status))
            told.push(`${operation.id}: ${answers.join(", ")}`);
        }
        return told;
      });
      expect(refused).toEqual([]);
    },
  );

  test.for(operations.filter(({ id }) => id in foretold))(
    "$id says above the button why it is refused and what to do, and so it is",
    async ({ id, partner = "" }) => {
      await inTab(phone, async (page) => {
        await page.goto(`/docs/reference/${api}/${id}`);
        const sentence = page.getByText(hints[id] ?? id);
        const button = page.getByRole("button", { name: "Send" });
        const [above, below] = [await sentence.boundingBox(), await button.boundingBox()];
        expect((above?.y ?? 0) + (above?.height ?? 0)).toBeLessThanOrEqual(below?.y ?? 0);
        await page.getByLabel("Call as").selectOption(partner);
        expect([await send(page), await send(page)]).toEqual([foretold[id], foretold[id]]);
      });
    },
  );
});

test(
  "a payment that the bank has made meanwhile is not decided on again: another one is made",
  { timeout: 4 * clickMs },
  async () => {
    await inTab(desk, async (page) => {
      for (const id of ["confirmSctWithdrawal", "triggerAccountingOperations"]) {
        await page.goto(`/docs/reference/wallet/${id}`);
        await page.getByLabel("Call as").selectOption("acme");
        expect(await send(page)).toMatch(/^20/);
      }
      await page.goto("/docs/reference/wallet/confirmSctWithdrawal");
      await expect
        .poll(async () => {
          await send(page);
          return page.locator(".outcome pre").allTextContents();
        })
        .toEqual([expect.stringContaining('"status": "Completed"')]);
      await page.goto("/docs/reference/sandbox/decidePayment");
      expect(await send(page)).toBe("200");
    });
  },
);

test("a page has such a sentence where it needs one, and nowhere else", () => {
  expect(Object.keys(hints)).toEqual(Object.keys(foretold));
});
