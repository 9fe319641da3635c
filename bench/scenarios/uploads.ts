/** What many large uploads at once cost the platform in memory, beside what it weighs idle. */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { startPlatform, withTemporaryFolder, type PlatformProcess } from "../platform/process.js";
import { peakMiB, resetPeak, residentMiB } from "../kit/processes.js";
import type { Row, Scenario } from "../kit/scenario.js";
import { acme, headersFor } from "../platform/session.js";

const uploadsAtOnce = 16;
const mebibytes = 10;
const rounds = 3;
const idleSeconds = 5;

const Created = z.object({ Response: z.object({ caseNumber: z.string() }) });

type Headers = Readonly<Record<string, string>>;

const createTicket = async (url: string, headers: Headers): Promise<string> => {
  const answer = await fetch(`${url}/ticketing/tickets`, {
    method: "POST",
    headers,
    body: JSON.stringify({
      product: "wallet",
      type: "Business",
      category: "Segnalazioni B2B",
      description: "A ticket for attachments",
    }),
  });
  if (answer.status !== 200) throw new Error(`POST tickets answered ${answer.status}`);
  return Created.parse(await answer.json()).Response.caseNumber;
};

/** A picture by its first bytes. */
const file = Buffer.alloc(mebibytes * 1024 * 1024);
file.write("\x89PNG\r\n\x1a\n", "latin1");

const attachmentsOf = (url: string, ticket: string): string =>
  `${url}/ticketing/tickets/${ticket}/attachments`;

const upload = async (url: string, headers: Headers, ticket: string): Promise<void> => {
  const answer = await fetch(`${attachmentsOf(url, ticket)}?filename=picture.png`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/octet-stream" },
    body: file,
  });
  if (answer.status !== 200) throw new Error(`an upload was answered ${answer.status}`);
  await answer.arrayBuffer();
};

const download = async (url: string, headers: Headers, ticket: string): Promise<void> => {
  const answer = await fetch(`${attachmentsOf(url, ticket)}/1`, { headers });
  if (answer.status !== 200) throw new Error(`a download was answered ${answer.status}`);
  // Read away as it comes: the client shares the machine, if not the process.
  await answer.body?.pipeTo(new WritableStream());
};

interface Measured {
  readonly peakMiB: number;
  readonly seconds: number;
}

/** The highest resident memory while `work` runs. */
const measured = async (pid: number, work: () => Promise<unknown>): Promise<Measured> => {
  await resetPeak(pid);
  const began = performance.now();
  await work();
  const seconds = (performance.now() - began) / 1000;
  return { peakMiB: await peakMiB(pid), seconds };
};

const rowOf = (what: string, idle: number, { peakMiB: peak, seconds }: Measured): Row => {
  const perSecond = (uploadsAtOnce * mebibytes) / seconds;
  return {
    what,
    figure: `${(peak - idle).toFixed(0)} MiB more`,
    beside: `goal 200 MiB; ${seconds.toFixed(1)} s, ${perSecond.toFixed(0)} MiB/s`,
  };
};

const measure = async (
  { url, pid }: PlatformProcess,
  say: (line: string) => void,
): Promise<readonly Row[]> => {
  const headers = await headersFor(url, acme);
  const tickets: string[] = [];
  for (let ticket = 0; ticket < uploadsAtOnce; ticket += 1)
    tickets.push(await createTicket(url, headers));
  await sleep(idleSeconds * 1000);
  const idle = await residentMiB(pid);
  if (idle === null) return [];
  const rows: Row[] = [
    { what: "idle", figure: `${idle.toFixed(0)} MiB`, beside: `after ${idleSeconds} s` },
  ];
  for (let round = 1; round <= rounds; round += 1) {
    const uploads = await measured(pid, () =>
      Promise.all(tickets.map((ticket) => upload(url, headers, ticket))),
    );
    rows.push(
      rowOf(`${uploadsAtOnce} uploads of ${mebibytes} MiB at once, round ${round}`, idle, uploads),
    );
    say(`round ${round}: ${(uploads.peakMiB - idle).toFixed(0)} MiB more than idle`);
  }
  const downloads = await measured(pid, () =>
    Promise.all(tickets.map((ticket) => download(url, headers, ticket))),
  );
  rows.push(rowOf(`${uploadsAtOnce} of them read back at once, in Base64`, idle, downloads));
  return rows;
};

export const uploads: Scenario = {
  name: "uploads",
  title: "Uploads at once",
  method:
    `Resident memory of the platform's process (host, engine and broker in one; Linux only), idle and ` +
    `at its highest while ${uploadsAtOnce} attachments of ${mebibytes} MiB are uploaded to ` +
    `${uploadsAtOnce} tickets at once, ${rounds} times, and then read. Documents are kept in PostgreSQL.`,
  run: async (say) =>
    withTemporaryFolder(async (folder) => {
      const platform = await startPlatform(join(folder, "data"));
      try {
        return await measure(platform, say);
      } finally {
        await platform.stop();
      }
    }),
};
