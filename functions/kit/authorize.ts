/** Who calls: token and AuthKey; and whether they may: partner header and role. */
import type { HttpRequest } from "@azure/functions";
import type { PartnerSettings } from "../../shared/contracts/platform/partner-settings.js";
import { operatorRoles, type Role } from "../../shared/contracts/roles.js";
import type { Api } from "../../shared/contracts/route.js";
import type { CallingPartner, Partner } from "../../shared/database/access/partners.js";
import { refusal, success, type Outcome } from "../../shared/domain/outcome.js";
import { accessOf, namedPartner } from "../../shared/http/access.js";
import type { VerifiedToken } from "../../shared/identity/token-verifier.js";
import type { Clock } from "../../shared/platform/clock.js";
import { secretMatches } from "../../shared/platform/secrets.js";
import type { Services } from "./services.js";

export interface Caller {
  /** Whose data the call is about: the token's partner, or the one that an operator named. */
  readonly partnerKey: string;
  readonly settings: PartnerSettings;
  readonly clientId: string;
  /** Who acts: the user of a delegated token, else the client. */
  readonly userName: string;
  readonly roles: readonly string[];
  readonly isOperator: boolean;
  /** An operator in the operators' own name: what it reads is every partner's. */
  readonly readsAll: boolean;
}

/** Who has proved itself. */
export interface Identity {
  readonly token: VerifiedToken;
  /** Whose client it is, whomever it acts for. */
  readonly own: Partner;
}

const bearer = /^Bearer ([\w.~+/-]+=*)$/i;

const tokenOf = (headers: HttpRequest["headers"]): string | undefined =>
  bearer.exec(headers.get("authorization") ?? "")?.[1];

/** Keys that were replaced are looked at for what the present one does not let in. */
const authKeyFits = (
  { authKeySalt, authKeyHash, formerAuthKeys }: CallingPartner,
  presented: string,
  clock: Clock,
): boolean =>
  secretMatches(presented, authKeySalt, authKeyHash) ||
  formerAuthKeys.some(
    ({ salt, hash, validUntilMs }) =>
      clock.nowMs() < validUntilMs && secretMatches(presented, salt, hash),
  );

/** Whose AuthKey this is; a key that does not fit what is remembered may be a new one. */
const provenClient = async (
  { partners, clock }: Services,
  clientId: string,
  presented: string | null,
): Promise<CallingPartner | undefined> => {
  if (presented === null) return undefined;
  for (const look of [partners.byClient, partners.byClientAnew]) {
    const own = await look(clientId);
    if (own !== undefined && authKeyFits(own, presented, clock)) return own;
  }
  return undefined;
};

/** The partner that the call is about; undefined where the header names one that it may not name. */
const partnerOf = async (
  { partners }: Services,
  own: Partner,
  named: string | undefined,
): Promise<Partner | undefined> => {
  if (named === undefined || named === own.partnerKey) return own;
  return own.isOperator ? partners.byKey(named) : undefined;
};

export const identify = async (
  services: Services,
  api: Api,
  headers: HttpRequest["headers"],
): Promise<Outcome<Identity, "TokenInvalid" | "AuthKeyInvalid" | "PartnerMismatch">> => {
  const text = tokenOf(headers);
  if (text === undefined) return refusal("TokenInvalid");
  const token = await services.tokens.verify(text);
  if (token === undefined) return refusal("TokenInvalid");

  if (accessOf[api].authKey) {
    const own = await provenClient(services, token.clientId, headers.get("authkey"));
    return own === undefined ? refusal("AuthKeyInvalid") : success({ token, own });
  }
  const own = await services.partners.byClient(token.clientId);
  if (own === undefined) return refusal("PartnerMismatch", { client: "belongs to no partner." });
  return success({ token, own });
};

/** `role` is the one that the route asks for. */
export const authorize = async (
  services: Services,
  { token, own }: Identity,
  { api, role }: { readonly api: Api; readonly role: Role },
  headers: HttpRequest["headers"],
): Promise<Outcome<Caller, "PartnerMismatch" | "PermissionMissing">> => {
  const access = accessOf[api];
  const named = namedPartner(access, headers);
  if (access.partnerRequired && named === undefined)
    return refusal("PartnerMismatch", {
      [access.partnerHeaders[0] ?? "Partner"]:
        "is missing: send the header with the partner's name.",
    });
  const partner = await partnerOf(services, own, named);
  if (partner === undefined) return refusal("PartnerMismatch");

  const mayUse = own.isOperator || !operatorRoles.includes(role);
  if (!mayUse || !token.roles.includes(role)) return refusal("PermissionMissing", { role });
  return success({
    partnerKey: partner.partnerKey,
    settings: partner.settings,
    clientId: token.clientId,
    userName: token.userName ?? token.clientId,
    roles: token.roles,
    isOperator: own.isOperator,
    readsAll: own.isOperator && partner.partnerKey === own.partnerKey,
  });
};
