/** The floor for HTTP figures: a bare node:http server that reads a body and answers it as JSON. */
import { createServer } from "node:http";

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    response.setHeader("content-type", "application/json");
    response.end(chunks.length === 0 ? '{"ok":true}' : Buffer.concat(chunks));
  });
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  process.stdout.write(`${typeof address === "object" && address !== null ? address.port : 0}\n`);
});
