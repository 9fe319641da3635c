/** A database and a broker on which the operators' command for partners is run, each test with a partner of its own. */
import { expect } from "vitest";
import { z } from "zod";
import { certificatePath } from "../../../local/broker/connections/certificate.js";
import {
  findPartnerByClient,
  type CallingPartner,
} from "../../../shared/database/access/partners.js";
import { administrationFixture, type AdministrationFixture } from "../broker/administration.js";
import { connectionString } from "../broker/broker.js";
import { openWalletTest, type WalletTest } from "../wallet/wallet-fixtures.js";
import { runPartner, type CommandPlace, type Said } from "./partner-command.js";

/** What `add --json` prints of a new partner. */
export const Added = z.object({
  authKey: z.string(),
  clientSecret: z.string(),
  connectionString: z.string(),
});

export interface PartnerDesk {
  readonly broker: AdministrationFixture;
  readonly wallets: WalletTest;
  readonly place: CommandPlace;
  /** A partner's name that no other test knows. */
  nextName(): string;
  run(...args: string[]): Promise<Said>;
  /** Makes the partner and its topic; resolves to the secrets that are shown once. */
  add(name: string, ...options: string[]): Promise<z.output<typeof Added>>;
  /** The partner as a call by its client finds it. */
  client(name: string): Promise<CallingPartner | undefined>;
  /** What was written down of changes to it, the oldest first. */
  audited(name: string): Promise<string[]>;
  end(): Promise<void>;
}

export const openPartnerDesk = async (): Promise<PartnerDesk> => {
  const [broker, wallets] = await Promise.all([administrationFixture(), openWalletTest()]);
  const place: CommandPlace = {
    databaseUrl: wallets.url,
    brokerConnectionString: connectionString(broker.broker.port),
    certificate: certificatePath(broker.certificateFolder),
    // Nobody calls here.
    pause: async () => undefined,
  };
  const run = (...args: string[]): Promise<Said> => runPartner(place, ...args);
  let names = 0;
  return {
    broker,
    wallets,
    place,
    nextName: () => {
      names += 1;
      return `partner-${names}`;
    },
    run,
    add: async (name, ...options) => {
      const { code, printed, complained } = await run("add", name, ...options, "--json");
      expect([code, complained]).toEqual([
        0,
        expect.stringContaining(`The topic ${name} was made.`),
      ]);
      return Added.parse(JSON.parse(printed));
    },
    client: (name) => findPartnerByClient(wallets.database, `${name}-client`),
    audited: async (name) => {
      const rows = await wallets.database.rows(
        z.object({ action: z.string() }),
        `select action from borsello.audit where entity = 'Partner' and entity_id = $1
         order by audit_id`,
        [name],
      );
      return rows.map(({ action }) => action);
    },
    end: async () => {
      await broker.stop();
      await wallets.end();
    },
  };
};
