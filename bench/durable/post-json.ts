/** POSTs JSON over kept connections: as little load generator as possible. */
import { Agent, request } from "node:http";

const agent = new Agent({ keepAlive: true, noDelay: true });

/** The body of a 2xx answer; any other answer is an error. */
export const postJson = async (url: string, body: unknown): Promise<string> =>
  new Promise((resolve, reject) => {
    const text = JSON.stringify(body);
    const headers = {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(text),
    };
    const sent = request(url, { method: "POST", agent, headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.once("error", reject);
      answer.once("end", () => {
        const got = Buffer.concat(chunks).toString();
        const { statusCode = 0 } = answer;
        if (statusCode >= 200 && statusCode < 300) resolve(got);
        else reject(new Error(`POST ${url} answered ${statusCode}: ${got.slice(0, 500)}`));
      });
    });
    sent.once("error", reject);
    sent.end(text);
  });
