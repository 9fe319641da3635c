/** The reference in a real browser: it reads, it is tried by clicking, on a phone and a desk, light and dark. */
import { describe, expect, test } from "vitest";
import { openSite } from "../support/browser/site.js";
import { looks, type Visit } from "../support/browser/visit.js";

const { visit: open, visiting } = openSite();

const desk = { width: 1440, scheme: "light" } as const;

/** Sends what the form says, and resolves to what is shown of the answer. */
const send = async ({ page }: Visit): Promise<{ readonly line: string; readonly body: string }> => {
  await page.getByRole("button", { name: "Send" }).click();
  const body = page.locator(".try:not(.busy) .outcome pre");
  await body.waitFor();
  return {
    line: (await page.locator(".outcome .line").last().textContent()) ?? "",
    body: (await body.textContent()) ?? "",
  };
};

const walletIdIn = (body: string): string =>
  /"walletId": "([0-9a-f-]{36})"/.exec(body)?.[1] ?? body;

describe.each(looks)("at $width pixels, $scheme", (look) => {
  test("a wallet is created by clicking, twice the same, and the next call has its id", async () => {
    await visiting(look, async (visit) => {
      const { page } = visit;
      await page.goto("/docs/reference/wallet");
      await page.getByRole("link", { name: "Create a wallet" }).click();
      await page.getByLabel("Call as").selectOption("acme");
      const first = await send(visit);
      expect(first.line).toContain("200");
      const again = await send(visit);
      expect(again.line).toContain("the first answer again");
      expect(again.body).toBe(first.body);
      expect(await visit.overflow()).toBe(0);
      await visit.picture("create-wallet");

      await page.goto("/docs/reference/wallet/getWallet");
      const walletId = walletIdIn(first.body);
      await expect.poll(() => page.locator('[name="walletId"]').inputValue()).toBe(walletId);
      expect(walletIdIn((await send(visit)).body)).toBe(walletId);
      await visit.picture("get-wallet");
    });
  });
});

test("a wallet, a payment and its event are one click each", async () => {
  const visit = await open(desk);
  const { page } = visit;
  await page.goto("/docs/reference/wallet/createWallet");
  await page.getByLabel("Call as").selectOption("umbrella");
  expect((await send(visit)).line).toMatch(/^200/);
  for (const operation of ["initialisePayment", "confirmPayment"]) {
    await page.goto(`/docs/reference/wallet/${operation}`);
    expect([operation, (await send(visit)).line]).toEqual([
      operation,
      expect.stringMatching(/^200/),
    ]);
  }
  await page.goto("/docs/reference/wallet/listEvents");
  for (const field of ["types", "limit"]) await page.locator(`input[name="${field}"]`).fill("");
  await expect.poll(async () => (await send(visit)).body).toContain('"operationType": "Payment"');
  await visit.end();
});

test("who opens the page again creates another wallet, as nobody is created twice", async () => {
  await visiting(desk, async (visit) => {
    await visit.page.goto("/docs/reference/wallet/createWallet");
    await visit.page.getByLabel("Call as").selectOption("globex");
    const first = await send(visit);
    await visit.page.reload();
    const second = await send(visit);
    expect([first.line, second.line].map((line) => line.trim().slice(0, 3))).toEqual([
      "200",
      "200",
    ]);
    expect(walletIdIn(second.body)).not.toBe(walletIdIn(first.body));
  });
});

test("a call that needs a wallet makes one first", async () => {
  await visiting(desk, async (visit) => {
    await visit.page.goto("/docs/reference/wallet/updateWalletAttributes");
    await visit.page.getByLabel("Call as").selectOption("acme");
    const { line } = await send(visit);
    expect(line).toContain("200");
    expect(await visit.page.locator(".outcome .line").first().textContent()).toContain("first: ");
  });
});

test.each([
  "wallet/simulateSctWithdrawal",
  "ticketing/updateTicketStatusBody",
  "wallet/signWalletMandate",
  "card/pushO2iReversal",
  "card/changePin",
])(
  "%s goes through as it is prefilled, twice: funds, a proven account, an operator's answer, a PIN's token are made first",
  async (operation) => {
    const visit = await open(desk);
    await visit.page.goto(`/docs/reference/${operation}`);
    await visit.page.getByLabel("Call as").selectOption("acme");
    for (const click of [1, 2]) expect((await send(visit)).line, `click ${click}`).toMatch(/^200/);
    await visit.end();
  },
);

test("who may not make what a call needs is told who may, and is given nothing of another partner's", async () => {
  await visiting(desk, async ({ page }) => {
    await page.goto("/docs/reference/wallet/getWallet");
    await page.getByLabel("Call as").selectOption("initech");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("initech lacks the role Wallet.Write; acme has it.").waitFor();
    expect(await page.locator(".outcome .line").count()).toBe(0);
  });
});

test("who edits the form is told the refusal, and nothing is made for it", async () => {
  const visit = await open(desk);
  await visit.page.goto("/docs/reference/wallet/createWallet");
  await visit.page.getByLabel("Call as").selectOption("acme");
  await visit.page.locator("textarea").fill('{ "taxId": "RSSMRA85T10A562S" }');
  expect((await send(visit)).line).toContain("422");
  expect(await visit.page.locator(".outcome .line").count()).toBe(1);
  await visit.end();
});

test("a changed request goes out under another key, and is not taken for the first one", async () => {
  await visiting(desk, async (visit) => {
    const { page } = visit;
    await page.goto("/docs/reference/wallet/createWallet");
    await page.getByLabel("Call as").selectOption("acme");
    const first = await send(visit);
    await page.getByRole("button", { name: "New values" }).click();
    const second = await send(visit);
    expect(second.line).toContain("200");
    expect(walletIdIn(second.body)).not.toBe(walletIdIn(first.body));
  });
});

test("one click is one call, however often the key is pressed meanwhile, and the focus stays", async () => {
  await visiting(desk, async ({ page }) => {
    const made: string[] = [];
    page.on("request", (request) => {
      if (request.url().endsWith("/wallet/wallets")) made.push(request.method());
    });
    await page.goto("/docs/reference/wallet/getWallet");
    await page.getByLabel("Call as").selectOption("acme");
    await page.locator('[name="walletId"]').focus();
    for (let press = 0; press < 3; press += 1) await page.keyboard.press("Enter");
    await page.locator(".try:not(.busy) .outcome pre").waitFor();
    expect(made).toEqual(["POST"]);
    expect(await page.evaluate("document.activeElement.name")).toBe("walletId");
  });
});

test("a browser that lets pages keep nothing calls as well", async () => {
  await visiting(desk, async (visit) => {
    await visit.page.addInitScript(`for (const place of ["localStorage", "sessionStorage"])
      Object.defineProperty(window, place, { get: () => { throw new DOMException("refused"); } });`);
    await visit.page.goto("/docs/reference/wallet/createWallet");
    await visit.page.getByLabel("Call as").selectOption("acme");
    expect((await send(visit)).line).toMatch(/^200/);
  });
});

test("after a click that failed half-way the next one goes on with what was made", async () => {
  const visit = await open(desk);
  const { page } = visit;
  await page.goto("/docs/reference/wallet/confirmPayment");
  await page.getByLabel("Call as").selectOption("globex");
  await page.route("**/stores", (route) => route.abort(), { times: 1 });
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByText("The platform does not answer.").waitFor();
  expect((await send(visit)).line).toMatch(/^200/);
  await visit.end();
});

test("who pastes a token keeps what they have written, and is told of a letter that no header carries", async () => {
  await visiting(desk, async ({ page }) => {
    await page.goto("/docs/reference/wallet/createWallet");
    await page.getByLabel("Call as").selectOption("a token of mine");
    await page.locator("textarea").fill('{ "mine": true }');
    await page.getByLabel("Token", { exact: true }).fill("eyJ…");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("Authorization has a character that no header can carry.").waitFor();
    expect(await page.locator("textarea").inputValue()).toBe('{ "mine": true }');
  });
});

test("a token that one has is taken as it is pasted, and the tab remembers it", async () => {
  await visiting(desk, async (visit) => {
    const { page } = visit;
    await page.goto("/docs/reference/wallet/getAllWallets");
    const token = await page.evaluate(async () => {
      const answer = await fetch("/sandbox/identity/local/oauth2/v2.0/token", {
        method: "POST",
        body: new URLSearchParams({
          grant_type: "client_credentials",
          client_id: "acme-client",
          client_secret: "acme-local-secret",
          scope: "api://borsello/.default",
        }),
      });
      const { access_token: text } = (await answer.json()) as { readonly access_token: string };
      return text;
    });
    await page.getByLabel("Call as").selectOption("a token of mine");
    await page.getByLabel("Token", { exact: true }).fill(token);
    await page.getByLabel("AuthKey").fill("acme-local-authkey");
    await page.getByLabel("Partner", { exact: true }).fill("acme");
    expect((await send(visit)).line).toContain("200");
    await page.reload();
    expect((await send(visit)).line).toContain("200");
  });
});

test("a link to an operation of the former page leads to its own, with its samples", async () => {
  await visiting(desk, async ({ page }) => {
    await page.goto("/docs/reference/wallet#/wallets/createWallet");
    await page.waitForURL("**/docs/reference/wallet/createWallet");
    await page.getByRole("tab", { name: "Node" }).click();
    expect(await page.locator(".samples code").textContent()).toContain("await fetch(");
    await page.getByRole("tab", { name: "curl" }).click();
    expect(await page.locator(".samples code").textContent()).toContain("curl -X POST");
  });
});

test("the search leaves what has all the words", async () => {
  await visiting(desk, async ({ page }) => {
    await page.goto("/docs/reference/wallet");
    await page.getByRole("searchbox").fill("create wallet");
    const shown = page.locator(".operation-list a:visible");
    await expect
      .poll(() => shown.allTextContents())
      .toContainEqual(expect.stringContaining("Create a wallet"));
    expect(await shown.count()).toBeLessThan(8);
  });
});
