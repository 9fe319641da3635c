/** The platform's broker as a process of its own, as a broker elsewhere is: it can be frozen and killed. */
import { readFile } from "node:fs/promises";
import { connectionString } from "../broker/broker.js";
import { buildBroker, runBroker } from "../broker/broker-process.js";
import { createDatabase } from "../database/database.js";

export interface ApartBroker {
  readonly connectionString: string;
  readonly databaseUrl: string;
  readonly pid: number;
  /** Kills it and starts it again on the same port. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Its messages lie in a database of the test run's, which the platform's faults do not touch. */
export const startApartBroker = async (port: number): Promise<ApartBroker> => {
  const removeBundle = await buildBroker();
  const database = await createDatabase();
  const configuration: unknown = JSON.parse(await readFile("servicebus.config.json", "utf8"));
  const run = () => runBroker(database.url, port, { isQuiet: true, configuration });
  let broker = await run();
  return {
    connectionString: connectionString(port),
    databaseUrl: database.url,
    get pid() {
      return broker.pid;
    },
    restart: async () => {
      await broker.kill();
      broker = await run();
    },
    stop: async () => {
      await broker.kill();
      await database.drop();
      await removeBundle();
    },
  };
};
