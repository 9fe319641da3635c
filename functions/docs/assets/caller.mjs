// Who calls: a partner of the sandbox, whose token is fetched and renewed, or what the reader has pasted.
const chosenKey = "borsello-caller";
/** Tokens are renewed this long before they expire. */
const marginMs = 60_000;

const tokens = new Map();

const fetchToken = async ({ clientId, clientSecret }, { tokenPath, scope }) => {
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
  const body = await answer.json();
  if (!answer.ok) throw new Error(`No token for ${clientId}: ${body.error_description}`);
  return { token: body.access_token, endsAt: askedAt + body.expires_in * 1000 - marginMs };
};

const tokenOf = async (caller, sandbox) => {
  let kept = tokens.get(caller.name);
  if (kept === undefined || Date.now() >= kept.endsAt) {
    kept = await fetchToken(caller, sandbox);
    tokens.set(caller.name, kept);
  }
  return kept.token;
};

/** For a call that was refused with a token that the platform no longer takes, as after a restart. */
export const forgetTokens = () => tokens.clear();

/** What the headers of the credentials say. */
const valueOf = (header, { authKey, name }) => (header === "AuthKey" ? authKey : name);

const written = (headers) => Object.fromEntries(headers.filter(([, value]) => value !== ""));

/** The headers that a call needs; without a choice, none. */
export const headersOf = async (caller, call, sandbox) => {
  if (caller === null || call.role === null) return {};
  const token = caller.token ?? (await tokenOf(caller, sandbox));
  return written([
    ["Authorization", token === "" ? "" : `Bearer ${token}`],
    ...call.credentials.map((header) => [header, valueOf(header, caller)]),
  ]);
};

/** A tab remembers who was chosen; what was pasted leaves it with the tab. */
export const keepChoice = (choice) => sessionStorage.setItem(chosenKey, JSON.stringify(choice));

export const keptChoice = () => JSON.parse(sessionStorage.getItem(chosenKey) ?? "null");

/** The caller that a choice stands for; null: nobody is chosen. */
export const callerOf = (choice, sandbox) => {
  if (choice === null) return null;
  if (choice.pasted !== undefined) return { ...choice.pasted, roles: null };
  return sandbox?.callers.find(({ name }) => name === choice.sandbox) ?? null;
};

/** The sandbox's partner that may do what this one may not: operators' calls within a partner's story. */
export const callerFor = (role, caller, sandbox) =>
  role === null || caller.roles === null || caller.roles.includes(role)
    ? caller
    : (sandbox.callers.find(({ roles }) => roles.includes(role)) ?? caller);
