/** A tab of the tests' browser: what a page complains of is kept, and a picture of it when asked. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";

/** Kept after the run, outside version control. */
const pictures = join(import.meta.dirname, "../../../dist-screenshots");

export interface Look {
  readonly width: 390 | 1440;
  readonly scheme: "light" | "dark";
}

export interface Visit {
  readonly page: Page;
  /** Errors and warnings of the console, failed requests, refused ones, and what the policy forbade. */
  readonly complaints: readonly string[];
  picture(name: string): Promise<void>;
  /** By how much the page is wider than the window. */
  overflow(): Promise<number>;
  end(): Promise<void>;
}

const heights = { 390: 844, 1440: 900 } as const;

export const openVisit = async (
  browser: Browser,
  baseURL: string,
  { width, scheme }: Look,
): Promise<Visit> => {
  const context = await browser.newContext({
    baseURL,
    viewport: { width, height: heights[width] },
    colorScheme: scheme,
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
    picture: async (name) => {
      await mkdir(pictures, { recursive: true });
      const take = () =>
        page.screenshot({ path: join(pictures, `${name}-${width}-${scheme}.png`) });
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
