/** What the handlers work with: built once at the start, passed to every call. */
import type { Route } from "../../shared/contracts/route.js";
import {
  processorWithKey,
  processorWithoutKey,
  type CardProcessor,
} from "../../shared/card-processor/card-processor.js";
import { makeCardKey, sandboxProcessor } from "../../shared/card-processor/sandbox-processor.js";
import { openDatabase, type Database } from "../../shared/database/platform/database.js";
import {
  operationCommands,
  type OperationCommands,
} from "../../shared/database/operations/commands.js";
import {
  findPartner,
  findPartnerByClient,
  type CallingPartner,
  type Partner,
} from "../../shared/database/access/partners.js";
import { prepareSandbox } from "../../shared/database/sandbox/preparation.js";
import { rememberedTimelines, type Timelines } from "../../shared/database/ticketing/timelines.js";
import { sandboxCardKey, sandboxSigningKey } from "../../shared/database/sandbox/kept-keys.js";
import { forbidForceDelete } from "../../shared/database/sandbox/force-delete.js";
import { lateAnswer } from "../../shared/database/authorisations/late-answers.js";
import { walletAffiliate } from "../../shared/database/authorisations/wallet-affiliate.js";
import type { ContractTemplates } from "../../shared/documents/contracts/contract-templates.js";
import type { DocumentStore } from "../../shared/documents/documents.js";
import { startEventReplayer } from "../../shared/events/event-replayer.js";
import type { BackgroundSender } from "../../shared/events/background-sender.js";
import { startOutboxRelay } from "../../shared/events/outbox-relay.js";
import { openServiceBus, type ServiceBus } from "../../shared/events/service-bus.js";
import { createTokenVerifier, type TokenVerifier } from "../../shared/identity/token-verifier.js";
import { remoteKeys } from "../../shared/identity/remote-keys.js";
import {
  createSandboxIdentity,
  makeSigningKey,
  type SandboxIdentity,
} from "../../shared/identity/sandbox-identity.js";
import { createChanges, type Changes } from "../../shared/platform/changes.js";
import { systemClock, type Clock } from "../../shared/platform/clock.js";
import type { Config } from "../../shared/platform/config.js";
import { faultPoints, type FaultPoints } from "../../shared/platform/fault-points.js";
import { loggedFailures, type Logger } from "../../shared/platform/logger.js";
import type { NoteFailure } from "../../shared/platform/outage.js";
import { remembered } from "../../shared/platform/remembered.js";
import { openAffiliates, type Affiliates } from "./affiliates.js";
import { openContractForms } from "./contract-forms.js";
import { documentStore } from "./document-store.js";
import { createRateLimits, type RateLimits } from "./rate-limits.js";
import { createSeal, type Seal } from "./sealing.js";

export interface PartnerDirectory {
  readonly byClient: (clientId: string) => Promise<CallingPartner | undefined>;
  /** As it is now, not some seconds ago. */
  readonly byClientAnew: (clientId: string) => Promise<CallingPartner | undefined>;
  readonly byKey: (partnerKey: string) => Promise<Partner | undefined>;
}

export interface Services {
  readonly config: Config;
  readonly database: Database;
  readonly operations: OperationCommands;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly note: NoteFailure;
  readonly faults: FaultPoints;
  readonly bus: ServiceBus;
  readonly relay: BackgroundSender;
  readonly replayer: BackgroundSender;
  /** What activities have changed, by the id of a wallet or mandate. */
  readonly changes: Changes;
  readonly timelines: Timelines;
  readonly documents: DocumentStore;
  readonly contractForms: ContractTemplates;
  readonly seal: Seal;
  readonly cardProcessor: CardProcessor;
  readonly tokens: TokenVerifier;
  readonly partners: PartnerDirectory;
  readonly rateLimits: RateLimits;
  readonly affiliates: Affiliates;
  /** Null where another identity provider issues the tokens. */
  readonly sandboxIdentity: SandboxIdentity | null;
  /** Every registered route: for the OpenAPI documents and the catch-alls. */
  readonly routes: readonly Route[];
}

type IdentityServices = Pick<Services, "tokens" | "sandboxIdentity">;

const identityServices = (config: Config, database: Database, clock: Clock): IdentityServices => {
  const { issuer, audience, jwksUrl, tenant } = config.identity;
  if (jwksUrl !== null) {
    const keys = remoteKeys(jwksUrl);
    return {
      tokens: createTokenVerifier({ issuer, audience, tenant, keys, clock }),
      sandboxIdentity: null,
    };
  }
  const loadKey = () => sandboxSigningKey(database, makeSigningKey);
  const sandboxIdentity = createSandboxIdentity({ issuer, audience, clock, loadKey });
  const { keys } = sandboxIdentity;
  return {
    tokens: createTokenVerifier({ issuer, audience, tenant, keys, clock }),
    sandboxIdentity,
  };
};

const cardProcessorOf = ({ card, environment }: Config, database: Database): CardProcessor => {
  if (card.pinKey !== null) return processorWithKey(card.pinKey);
  return environment === "production"
    ? processorWithoutKey()
    : sandboxProcessor(() => sandboxCardKey(database, makeCardKey));
};

export const createServices = (
  config: Config,
  logger: Logger,
  routes: readonly Route[],
): Services => {
  const clock = systemClock;
  const isProduction = config.environment === "production";
  const database = openDatabase({
    connection: config.database,
    logger,
    prepare: isProduction ? forbidForceDelete : prepareSandbox,
  });
  const faults = faultPoints(config.faultPoints);
  const bus = openServiceBus(config.serviceBus);
  const documents = documentStore(config.documents, database);
  const clients = remembered((clientId) => findPartnerByClient(database, clientId), clock);
  const partners = remembered((partnerKey) => findPartner(database, partnerKey), clock);
  const note = loggedFailures(logger);
  const relay = startOutboxRelay({ database, bus, faults, logger });
  database.onCommit(() => {
    relay.nudge();
  });
  return {
    config,
    database,
    operations: operationCommands(database),
    clock,
    logger,
    note,
    faults,
    bus,
    relay,
    replayer: startEventReplayer({ database, bus, faults, logger }),
    changes: createChanges(),
    timelines: rememberedTimelines(),
    documents,
    contractForms: openContractForms(documents, isProduction),
    seal: createSeal(config.wallet, database, clock),
    cardProcessor: cardProcessorOf(config, database),
    ...identityServices(config, database, clock),
    partners: { byClient: clients.find, byClientAnew: clients.findAnew, byKey: partners.find },
    rateLimits: createRateLimits({ clock, isProduction }),
    affiliates: openAffiliates({
      ...{ config, database, logger, note },
      partners: { byKey: partners.find },
      wallet: walletAffiliate(database, async (key) => (await partners.find(key))?.settings),
      keepLate: (late) => lateAnswer(database, late),
    }),
    routes,
  };
};
