/** The documents' sample consumer as a process of its own, which can be killed and started again on its journal. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { z } from "zod";
import { acme } from "../../../bench/platform/session.js";
import { partnerConnectionString } from "../../../bench/platform/topic-reader.js";
import type { TestStack } from "../platform/stack.js";

export const sampleConsumerFile = "docs/examples/consume-events.mjs";

const Line = z.object({
  sequence: z.int(),
  name: z.string(),
  event: z.record(z.string(), z.unknown()),
});

export interface SampleConsumer {
  /** What it has said on its error output. */
  errors(): string;
  /** It stands still, with its connection open. */
  pause(): void;
  resume(): void;
  kill(): Promise<void>;
}

/** As acme, with what the guide to events tells to set. */
export const runSampleConsumer = (stack: TestStack, journal: string): SampleConsumer => {
  const child = spawn(process.execPath, [sampleConsumerFile], {
    stdio: ["ignore", "ignore", "pipe"],
    env: {
      ...process.env,
      API: stack.url,
      TOKEN_URL: `${stack.url}/sandbox/identity/local/oauth2/v2.0/token`,
      SCOPE: "api://borsello/.default",
      CLIENT_ID: acme.clientId,
      CLIENT_SECRET: acme.clientSecret,
      AUTH_KEY: acme.authKey,
      PARTNER: acme.partner,
      BROKER: partnerConnectionString(stack.brokerConnectionString, acme.partner),
      JOURNAL: journal,
    },
  });
  let errors = "";
  child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
  const ended = once(child, "close");
  return {
    errors: () => errors,
    pause: () => void child.kill("SIGSTOP"),
    resume: () => void child.kill("SIGCONT"),
    kill: async () => {
      child.kill("SIGKILL");
      await ended;
    },
  };
};

/** Its whole lines so far. */
export const readJournal = async (journal: string) => {
  const text = await readFile(journal, "utf8").catch(() => "");
  const lines = text
    .slice(0, text.lastIndexOf("\n") + 1)
    .split("\n")
    .slice(0, -1);
  return lines.map((line) => Line.parse(JSON.parse(line)));
};
