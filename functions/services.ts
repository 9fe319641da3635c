/** What the handlers work with: built once at the start, passed to every call. */
import type { JWTVerifyGetKey } from "jose";
import type { Route } from "../shared/contracts/route.js";
import { openDatabase, type Database } from "../shared/database/database.js";
import { findPartner, findPartnerByClient, type Partner } from "../shared/database/partners.js";
import { seedSandboxPartners } from "../shared/database/sandbox-partners.js";
import { createTokenVerifier, type TokenVerifier } from "../shared/identity/token-verifier.js";
import { remoteKeys } from "../shared/identity/remote-keys.js";
import { systemClock, type Clock } from "../shared/platform/clock.js";
import type { Config } from "../shared/platform/config.js";
import { faultPoints, type FaultPoints } from "../shared/platform/fault-points.js";
import type { Logger } from "../shared/platform/logger.js";
import { remembered } from "../shared/platform/remembered.js";

export interface PartnerDirectory {
  byClient(clientId: string): Promise<Partner | undefined>;
  byKey(partnerKey: string): Promise<Partner | undefined>;
}

export interface Services {
  readonly config: Config;
  readonly database: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly faults: FaultPoints;
  readonly tokens: TokenVerifier;
  readonly partners: PartnerDirectory;
  /** Every registered route: for the OpenAPI documents and the catch-alls. */
  readonly routes: readonly Route[];
}

export const createServices = (
  config: Config,
  logger: Logger,
  routes: readonly Route[],
): Services => {
  const clock = systemClock;
  const database = openDatabase({
    connection: config.database,
    logger,
    ...(config.environment === "production" ? {} : { prepare: seedSandboxPartners }),
  });
  const { issuer, audience, jwksUrl } = config.identity;
  const keys: JWTVerifyGetKey = remoteKeys(jwksUrl ?? "http://localhost");
  return {
    config,
    database,
    clock,
    logger,
    faults: faultPoints(config.faultPoints),
    tokens: createTokenVerifier({ issuer, audience, keys, clock }),
    partners: {
      byClient: remembered((clientId) => findPartnerByClient(database, clientId), clock),
      byKey: remembered((partnerKey) => findPartner(database, partnerKey), clock),
    },
    routes,
  };
};
