/** Stands between a host and its database, and can act as if the database were away. */
import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";

export class DatabaseProxy {
  /** The connection string that leads through it. */
  readonly url: string;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #state: "open" | "refusing" | "silent" = "open";

  private constructor(server: Server, url: string, database: URL) {
    this.#server = server;
    this.url = url;
    server.on("connection", (client) => {
      if (this.#state === "refusing") client.destroy();
      else this.#join(client, connect(Number(database.port), database.hostname));
    });
  }

  static async before(databaseUrl: string): Promise<DatabaseProxy> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("a TCP port was expected");
    const url = new URL(databaseUrl);
    const database = new URL(databaseUrl);
    url.hostname = "127.0.0.1";
    url.port = String(address.port);
    return new DatabaseProxy(server, url.href, database);
  }

  #join(client: Socket, database: Socket): void {
    for (const [from, to] of [
      [client, database],
      [database, client],
    ] as const) {
      this.#sockets.add(from);
      from.pipe(to);
      from.on("error", () => to.destroy());
      from.on("close", () => {
        this.#sockets.delete(from);
        to.destroy();
      });
      if (this.#state === "silent") from.pause();
    }
  }

  /** As a server that has stopped: connections break, and new ones are refused. */
  refuse(): void {
    this.#state = "refusing";
    for (const socket of this.#sockets) socket.destroy();
  }

  /** As a network that loses everything: nobody hears anything any more. */
  silence(): void {
    this.#state = "silent";
    for (const socket of this.#sockets) socket.pause();
  }

  restore(): void {
    this.#state = "open";
    for (const socket of this.#sockets) socket.resume();
  }

  async close(): Promise<void> {
    this.refuse();
    this.#server.close();
    await once(this.#server, "close");
  }
}
