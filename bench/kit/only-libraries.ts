/** The floor for memory figures: a server that answers nothing, with the libraries loaded that host and app must load. */
import "@azure/functions";
import "@azure/service-bus";
import "durable-functions";
import "jose";
import "pg";
import "rhea";
import "zod";
import { createServer } from "node:http";

const server = createServer((_request, response) => void response.end());
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  process.stdout.write(`${typeof address === "object" && address !== null ? address.port : 0}\n`);
});
