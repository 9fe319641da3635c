/** A durable host that dies and is started again; calls that a death cuts are repeated in its next life. */
import { setTimeout as sleep } from "node:timers/promises";
import { startDurableHost, type DurableHost } from "./durable-host.js";

/** What ends a life: a durable write, an activity of the app, or a moment. */
export type Death =
  | { readonly atWrite: `${"before" | "sent" | "answered"}:${number}` }
  | { readonly atDeed: number }
  | { readonly afterMs: number };

/** So long a host that nobody kills may fail to answer. */
const patienceMs = 30_000;
/** A life that its fault does not strike is ended all the same. */
const lifeMaxMs = 3_000;

const settingsOf = (death: Death | undefined): Record<string, string> => {
  if (death === undefined || "afterMs" in death) return {};
  return "atWrite" in death ? { WRITE_FAULT: death.atWrite } : { DEED_FAULT: String(death.atDeed) };
};

/** fetch rejects with a TypeError where the connection, not the host's answer, is what failed. */
const isCut = (error: unknown): boolean => error instanceof TypeError;

/** A host without its database says so, and wants to be asked again. */
export const answered = (response: Response): Response => {
  if (response.status === 503) throw new TypeError("the host has no database");
  return response;
};

export class HostLives {
  readonly #databaseUrl: string;
  readonly #settings: Readonly<Record<string, string>>;
  readonly #app: string;
  #host: DurableHost | undefined;
  #patienceEndsAt = Infinity;
  /** How many lives ended where their fault was planted, not by running out of time. */
  struck = 0;

  constructor(databaseUrl: string, app: string, settings: Readonly<Record<string, string>>) {
    this.#databaseUrl = databaseUrl;
    this.#app = app;
    this.#settings = settings;
  }

  /** Resolves once the host listens; undefined where it died before that, as it was told to. */
  async start(death?: Death): Promise<DurableHost | undefined> {
    this.#patienceEndsAt = death === undefined ? Date.now() + patienceMs : Infinity;
    try {
      this.#host = await startDurableHost(
        this.#databaseUrl,
        { ...this.#settings, ...settingsOf(death) },
        { app: this.#app, nodeArguments: ["--import", "./test/support/durable/write-faults.mjs"] },
      );
      return this.#host;
    } catch (error) {
      if (death === undefined || "afterMs" in death) throw error;
      this.struck += 1;
      return undefined;
    }
  }

  /** One life, from its start to its death, or until there is nothing more to do. */
  async live(death: Death, isIdle: () => boolean = () => false): Promise<void> {
    const host = await this.start(death);
    if (host === undefined) return;
    const endsAt = Date.now() + ("afterMs" in death ? death.afterMs : lifeMaxMs);
    const isAlive = (): boolean =>
      host.process.exitCode === null && host.process.signalCode === null;
    while (isAlive() && Date.now() < endsAt && !isIdle()) await sleep(5);
    if (!isAlive() || "afterMs" in death) this.struck += 1;
    await host.kill();
  }

  /** A call of the management API that is repeated until it has been answered. */
  async ask(method: string, path: string, body?: unknown): Promise<Response> {
    return this.call(async (host) => answered(await host.api(method, path, body)));
  }

  /** Repeats the work, on whichever life there is, until the host has answered. */
  async call<T>(work: (host: DurableHost) => Promise<T>): Promise<T> {
    for (;;) {
      try {
        if (this.#host !== undefined) return await work(this.#host);
      } catch (error) {
        if (!isCut(error) || Date.now() > this.#patienceEndsAt) throw error;
      }
      await sleep(20);
    }
  }

  async stop(): Promise<void> {
    await this.#host?.kill();
  }
}
