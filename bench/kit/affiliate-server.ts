/** An affiliate's endpoint for benches: answers at once, after 1.5 seconds (/slow), or never (/silent). */
import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";

const Asked = z.object({ transactionId: z.string() });
const slowMs = 1_500;

const server = createServer((request, response) => {
  void (async () => {
    const { transactionId } = Asked.parse(await json(request));
    if (request.url === "/silent") return;
    if (request.url === "/slow") await sleep(slowMs);
    const answer = { transactionId, responseCode: "00", availableBalance: 1_000 };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ ...answer, accountCurrency: 978 }));
  })().catch(() => {
    response.destroy();
  });
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  process.stdout.write(`${typeof address === "object" && address !== null ? address.port : 0}\n`);
});
