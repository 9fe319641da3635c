/** Who calls: a partner of the sandbox, whose token is fetched and renewed, or what the reader has pasted. */
import type { Call, Sandbox, SandboxCaller } from "../../reference/call-plan.js";
import { keep, readKept } from "../kit/storage.js";

interface Pasted {
  readonly token: string;
  readonly authKey: string;
  readonly name: string;
}

/** Null: nobody is chosen. */
export type Choice = { readonly sandbox: string } | { readonly pasted: Pasted } | null;

/** Whoever pastes a token knows what it is good for. */
export type Caller =
  | { readonly kind: "sandbox"; readonly name: string; readonly partner: SandboxCaller }
  | ({ readonly kind: "pasted" } & Pasted);

const chosenKey = "borsello-caller";
/** Tokens are renewed this long before they expire. */
const marginMs = 60_000;

interface KeptToken {
  readonly token: string;
  readonly endsAt: number;
}

const tokens = new Map<string, KeptToken>();

type TokenAnswer =
  | { readonly access_token: string; readonly expires_in: number }
  | { readonly error_description: string };

const fetchToken = async (
  { clientId, clientSecret }: SandboxCaller,
  { tokenPath, scope }: Sandbox,
): Promise<KeptToken> => {
  const askedAt = Date.now();
  const answer = await fetch(tokenPath, {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "client_credentials",
      client_id: clientId,
      client_secret: clientSecret,
      scope,
    }),
  });
  const body = (await answer.json()) as TokenAnswer;
  if ("error_description" in body)
    throw new Error(`No token for ${clientId}: ${body.error_description}`);
  return { token: body.access_token, endsAt: askedAt + body.expires_in * 1000 - marginMs };
};

const tokenOf = async (partner: SandboxCaller, sandbox: Sandbox | null): Promise<string> => {
  if (sandbox === null) return "";
  let kept = tokens.get(partner.name);
  if (kept === undefined || Date.now() >= kept.endsAt) {
    kept = await fetchToken(partner, sandbox);
    tokens.set(partner.name, kept);
  }
  return kept.token;
};

/** For a call that was refused with a token that the platform no longer takes, as after a restart. */
export const forgetTokens = (): void => {
  tokens.clear();
};

export const authKeyOf = (caller: Caller): string =>
  caller.kind === "pasted" ? caller.authKey : caller.partner.authKey;

/** The headers that a call needs; without a choice, none. */
export const headersOf = async (
  caller: Caller | null,
  { role, credentials }: Call,
  sandbox: Sandbox | null,
): Promise<Record<string, string>> => {
  if (caller === null || role === null) return {};
  const token = caller.kind === "pasted" ? caller.token : await tokenOf(caller.partner, sandbox);
  const headers = [
    ["Authorization", token === "" ? "" : `Bearer ${token}`],
    ...credentials.map((name) => [name, name === "AuthKey" ? authKeyOf(caller) : caller.name]),
  ];
  return Object.fromEntries(headers.filter(([, value]) => value !== "")) as Record<string, string>;
};

/** A tab remembers who was chosen; what was pasted leaves it with the tab. */
export const keepChoice = (choice: Choice): void => {
  keep("sessionStorage", chosenKey, JSON.stringify(choice));
};

export const keptChoice = (): Choice =>
  JSON.parse(readKept("sessionStorage", chosenKey) ?? "null") as Choice;

const asCaller = (partner: SandboxCaller): Caller => ({
  kind: "sandbox",
  name: partner.name,
  partner,
});

export const callerOf = (choice: Choice, sandbox: Sandbox | null): Caller | null => {
  if (choice === null) return null;
  if ("pasted" in choice) return { kind: "pasted", ...choice.pasted };
  const partner = sandbox?.callers.find(({ name }) => name === choice.sandbox);
  return partner === undefined ? null : asCaller(partner);
};

/** Whether the caller is known not to have the role. */
const lacksRole = (caller: Caller | null, role: string | null): boolean =>
  caller?.kind === "sandbox" && role !== null && !caller.partner.roles.includes(role);

/** Who lacks a role is told who has it; undefined: nothing is lacking. */
export const lackOf = (
  caller: Caller | null,
  role: string | null,
  sandbox: Sandbox | null,
): string | undefined => {
  if (role === null || !lacksRole(caller, role)) return undefined;
  const able = sandbox?.callers.find(({ roles }) => roles.includes(role))?.name ?? "nobody here";
  return `${caller?.name ?? ""} lacks the role ${role}; ${able} has it.`;
};

/**
 * Who makes a call that another one needs: an operator for a partner, a partner for an operator. Partners have
 * nothing in common: what one of them makes is of no use to another.
 */
export const callerFor = (role: string | null, caller: Caller, sandbox: Sandbox): Caller => {
  if (role === null || caller.kind === "pasted" || !lacksRole(caller, role)) return caller;
  const able = sandbox.callers.find(
    ({ roles, isOperator }) => roles.includes(role) && (isOperator || caller.partner.isOperator),
  );
  return able === undefined ? caller : asCaller(able);
};
