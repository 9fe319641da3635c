/** A tab of the tests' browser: what a page complains of is kept, and a picture of it when asked. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { reviewScript } from "./in-page-script.js";
import type { Review } from "./in-page/review.js";

/** Kept after the run, outside version control. */
const pictures = join(import.meta.dirname, "../../../dist-screenshots");

export interface Look {
  readonly width: 390 | 1440;
  readonly scheme: "light" | "dark";
}

export const looks = [
  { width: 390, scheme: "light" },
  { width: 390, scheme: "dark" },
  { width: 1440, scheme: "light" },
  { width: 1440, scheme: "dark" },
] as const satisfies readonly Look[];

export interface Visit {
  readonly page: Page;
  /** Errors and warnings of the console, failed requests, refused ones, and what the policy forbade. */
  readonly complaints: readonly string[];
  /** Shows the page in another width or scheme. */
  turn(look: Look): Promise<void>;
  picture(name: string): Promise<void>;
  /** What a reader could not read, reach or see, as it is shown. */
  review(): Promise<Review>;
  /** By how much the page is wider than the window. */
  overflow(): Promise<number>;
  end(): Promise<void>;
}

const heights = { 390: 844, 1440: 900 } as const;

const viewportOf = ({ width }: Look) => ({ width, height: heights[width] });

export const openVisit = async (browser: Browser, baseURL: string, first: Look): Promise<Visit> => {
  let shown = first;
  const context = await browser.newContext({
    baseURL,
    viewport: viewportOf(first),
    colorScheme: first.scheme,
  });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("requestfailed", (request) => {
    // A page that is left gives up what it had still asked for.
    if (request.failure()?.errorText !== "net::ERR_ABORTED")
      complaints.push(`failed: ${request.url()}`);
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(baseURL)) complaints.push(`from elsewhere: ${request.url()}`);
  });
  page.on("response", (answer) => {
    if (answer.status() >= 400) complaints.push(`${answer.status()}: ${answer.url()}`);
  });
  return {
    page,
    complaints,
    turn: async (look) => {
      await page.setViewportSize(viewportOf(look));
      await page.emulateMedia({ colorScheme: look.scheme });
      await page.locator(`html[data-theme="${look.scheme}"]`).waitFor();
      shown = look;
    },
    review: async () => page.evaluate<Review>(await reviewScript()),
    picture: async (name) => {
      await mkdir(pictures, { recursive: true });
      const take = () =>
        page.screenshot({ path: join(pictures, `${name}-${shown.width}-${shown.scheme}.png`) });
      // A browser without a screen now and then has no frame to give while the machine is busy.
      await take().catch(take).catch(take);
    },
    overflow: () =>
      page.evaluate<number>(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth",
      ),
    end: () => context.close(),
  };
};
