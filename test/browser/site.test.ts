/** The site around the reference in a real browser: home, guides and events, on a phone and a desk, light and dark. */
import { describe, expect, test } from "vitest";
import { openSite } from "../support/browser/site.js";

const { visiting } = openSite();

const phone = { width: 390, scheme: "light" } as const;
const desk = { width: 1440, scheme: "light" } as const;

describe.each([phone, { ...phone, scheme: "dark" }, desk, { ...desk, scheme: "dark" }] as const)(
  "at $width pixels, $scheme",
  (look) => {
    test("home, guides and events read without a complaint, and nothing hangs over the edge", async () => {
      await visiting(look, async (visit) => {
        for (const [path, name] of [
          ["/docs", "home"],
          ["/docs/guide", "guides"],
          ["/docs/guide/getting-started", "guide"],
          ["/docs/events#TransactionConfirmed", "events"],
        ] as const) {
          await visit.page.goto(path);
          await visit.page.locator("h1").waitFor();
          expect([path, await visit.overflow()]).toEqual([path, 0]);
          await visit.picture(name);
        }
      });
    });
  },
);

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
