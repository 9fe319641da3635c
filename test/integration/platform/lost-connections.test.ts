/** A database that closes connections in the moment in which it opens them ends no process. */
import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startBroker } from "../../../local/broker/broker.js";
import { openPool } from "../../../local/stack-database.js";
import { testTopology } from "../../support/broker/broker.js";

const message = (type: string, body: Buffer): Buffer => {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
};

/** Authenticated, ready, and shut down by an administrator, all in one packet. */
const hailAndFarewell = Buffer.concat([
  message("R", Buffer.alloc(4)),
  message("Z", Buffer.from("I")),
  message("E", Buffer.from("SFATAL\0C57P01\0Mterminating connection\0\0")),
]);

let server: Server;
let url: string;

beforeAll(async () => {
  server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => socket.end(hailAndFarewell));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a TCP port was expected");
  url = `postgres://user@127.0.0.1:${address.port}/any`;
});
afterAll(() => {
  server.close();
});

// An error event that nobody hears fails the run, whatever is expected here.
test("the broker hears of a connection that is lost as soon as it is open", async () => {
  const options = { connectionString: url, topology: testTopology, port: 0 };
  await expect(startBroker(options)).rejects.toThrow();
});

test("the host hears of a connection that is lost as soon as it is open", async () => {
  const pool = openPool(url, () => undefined);
  await expect(pool.connect().then((client) => client.query("select 1"))).rejects.toThrow();
});
