/** Stands between a host and its database, and can act as if the database were away. */
import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";

export class DatabaseProxy {
  /** The connection string that leads through it. */
  readonly url: string;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #state: "open" | "refusing" | "silent" = "open";
  /** Which query is to be the last of its connection; its answer is lost. */
  #fatalText: string | undefined;

  private constructor(server: Server, url: string, database: URL) {
    this.#server = server;
    this.url = url;
    server.on("connection", (client) => {
      if (this.#state === "refusing") client.destroy();
      else {
        const server = connect(Number(database.port), database.hostname);
        this.#join(client, server);
        this.#listenFor(client, server);
      }
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

  #listenFor(client: Socket, database: Socket): void {
    client.on("data", (query: Buffer) => {
      if (this.#fatalText === undefined || !query.includes(this.#fatalText)) return;
      this.#fatalText = undefined;
      database.unpipe(client);
      database.once("data", () => client.destroy()).resume();
    });
  }

  /** The next query that holds `text` is done, but whoever asked only sees the connection break. */
  loseAnswerTo(text: string): void {
    this.#fatalText = text;
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
