/** The site in a real browser: every kind of page as it is seen, on a phone and a desk, light and dark; menu, search, copying. */
import { describe, expect, test } from "vitest";
import { soundReview } from "../support/browser/in-page/review.js";
import { openSite } from "../support/browser/site.js";
import { looks, type Visit } from "../support/browser/visit.js";

const { visit: open, visiting } = openSite();

const phone = { width: 390, scheme: "light" } as const;
const desk = { width: 1440, scheme: "light" } as const;

/** One visit shows all of them: a page is loaded once, and turned. */
const expectSound = async (visit: Visit, name: string): Promise<void> => {
  for (const look of looks) {
    await visit.turn(look);
    expect([name, look, await visit.review()]).toEqual([name, look, soundReview]);
    await visit.picture(name);
  }
};

describe("reads, is reached by the keyboard, and hangs over no edge:", () => {
  test.each([
    ["home", "/docs"],
    ["overview", "/docs/reference/wallet"],
    ["small-operation", "/docs/reference/wallet/updateWalletIban"],
    ["large-operation", "/docs/reference/card/pushO2iRequest"],
    ["events", "/docs/events#TransactionConfirmed"],
    ["errors", "/docs/errors"],
    ["guides", "/docs/guide"],
    ["guide", "/docs/guide/getting-started"],
  ])("%s", async (name, path) => {
    await visiting(phone, async (visit) => {
      await visit.page.goto(path);
      await expectSound(visit, name);
    });
  });

  test("the overviews of the other APIs, on a phone", async () => {
    await visiting(phone, async (visit) => {
      for (const api of ["card", "ticketing", "sandbox"]) {
        await visit.page.goto(`/docs/reference/${api}`);
        expect([api, await visit.review()]).toEqual([api, soundReview]);
      }
    });
  });

  test("what is said of a page that there is not", async () => {
    const visit = await open(phone);
    const answer = await visit.page.goto("/docs/guide/no-such-guide");
    expect(answer?.status()).toBe(404);
    await expectSound(visit, "no-such-page");
    await visit.end();
  });
});

test("a review finds what cannot be read, reached or seen", async () => {
  await visiting(phone, async (visit) => {
    await visit.page.setContent(`
      <h1>Title</h1><h3>Too deep</h3>
      <p style="color: #999">Faint</p>
      <p style="width: 500px">Wide</p>
      <a href="#" style="outline: none">Not shown to have the focus</a>
      <button></button>`);
    expect(await visit.review()).toEqual({
      overhang: [expect.stringContaining("px"), "p"],
      faint: [expect.stringContaining("Faint")],
      headings: ["h3 “Too deep”"],
      unfocused: ["body a"],
      nameless: ["button"],
    });
  });
});

test("on a phone the menu opens by its button and leads on", async () => {
  await visiting(phone, async ({ page }) => {
    await page.goto("/docs");
    const events = page.getByRole("navigation").getByRole("link", { name: "Events" });
    expect(await events.isVisible()).toBe(false);
    await page.getByRole("button", { name: "Menu" }).click();
    await events.click();
    await page.waitForURL("**/docs/events");
  });
});

test("light or dark is what the system says until the reader chooses, and the choice is remembered", async () => {
  await visiting(desk, async ({ page }) => {
    const theme = (): Promise<string | null> => page.locator("html").getAttribute("data-theme");
    await page.goto("/docs");
    expect(await theme()).toBe("light");
    await page.emulateMedia({ colorScheme: "dark" });
    await expect.poll(theme).toBe("dark");
    await page.getByRole("button", { name: "Light or dark" }).click();
    expect(await theme()).toBe("light");
    await page.goto("/docs/guide");
    expect(await theme()).toBe("light");
  });
});

test("an event that the address names is open, and the search leaves those with all the words", async () => {
  await visiting(desk, async ({ page }) => {
    await page.goto("/docs/events#WalletCreated");
    const created = page.locator("#WalletCreated");
    expect(await created.getAttribute("open")).not.toBeNull();
    expect(await created.getByRole("link", { name: "Create a wallet" }).count()).toBe(1);
    await page.getByRole("searchbox").fill("ticket expired");
    await expect.poll(() => created.isVisible()).toBe(false);
    expect(await page.locator("#TicketExpired").isVisible()).toBe(true);
    await page.getByRole("searchbox").fill("no such thing");
    expect(await page.getByText("No event has all of these words.").isVisible()).toBe(true);
  });
});

test("an address that names no event takes nothing from the search", async () => {
  await visiting(desk, async ({ page }) => {
    await page.goto("/docs/events#%");
    await page.getByRole("searchbox").fill("ticket expired");
    await expect.poll(() => page.locator("#WalletCreated").isVisible()).toBe(false);
  });
});

test("every page has a search over all pages, by its button and by a key", async () => {
  await visiting(desk, async ({ page }) => {
    await page.goto("/docs/guide/money");
    await page.keyboard.press("/");
    const box = page.getByRole("searchbox", { name: "Search all pages" });
    await box.fill("create wallet");
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("link", { name: "Create a wallet" }).waitFor();
    await box.fill("insufficient balance");
    await dialog.getByRole("link", { name: "InsufficientBalance" }).waitFor();
    await box.fill("zeppelin");
    await dialog.getByText("Nothing has all of these words.").waitFor();
    await box.fill("transactionconfirmed");
    await dialog.getByRole("heading", { name: "Events" }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/docs/events#TransactionConfirmed");
    await page.getByRole("button", { name: "Search all pages" }).click();
    await page.keyboard.press("Escape");
    expect(await dialog.isVisible()).toBe(false);
  });
});

test("a block of a guide is copied whole", async () => {
  await visiting(desk, async ({ page }) => {
    await page.goto("/docs/guide/getting-started");
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const block = page.locator("figure.block").filter({ hasText: "npm ci" }).first();
    await block.getByRole("button", { name: "Copy" }).click();
    const copied = await page.evaluate<string>("navigator.clipboard.readText()");
    expect(copied).toContain("npm ci\nnpm start");
  });
});
