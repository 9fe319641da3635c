/** What each file of browser tests begins with: a platform and a browser of its own, or why there is none. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import { startTestStack, type TestStack } from "../platform/stack.js";
import { launchChromium, whyNoChromium } from "./chromium.js";
import { openVisit, type Look, type Visit } from "./visit.js";

export interface Site {
  /** A visit with a browser's state of its own, whatever the page complains of. */
  readonly visit: (look: Look) => Promise<Visit>;
  /** One of which the page complains of nothing. */
  readonly visiting: (look: Look, act: (visit: Visit) => Promise<void>) => Promise<void>;
}

/** Starts both before the file's tests and ends them after; skips the tests where no browser can run. */
export const openSite = (): Site => {
  const reason = whyNoChromium();
  let stack: TestStack | undefined;
  let browser: Browser | undefined;

  beforeAll(async () => {
    if (reason !== undefined) return;
    [stack, browser] = await Promise.all([startTestStack(), launchChromium()]);
  });

  afterAll(async () => {
    await browser?.close();
    await stack?.stop();
  });

  beforeEach(({ skip }) => {
    skip(reason !== undefined, reason);
  });

  const visit = async (look: Look): Promise<Visit> => {
    if (browser === undefined || stack === undefined) throw new Error("nothing is started");
    return openVisit(browser, stack.url, look);
  };

  return {
    visit,
    visiting: async (look, act) => {
      const visited = await visit(look);
      try {
        await act(visited);
        expect(visited.complaints).toEqual([]);
      } finally {
        await visited.end();
      }
    },
  };
};
