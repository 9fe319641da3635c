// Trying an operation: the form becomes a call with the chosen caller's credentials, and its answer is shown.
import { callerFor, callerOf, forgetTokens, headersOf, keepChoice, keptChoice } from "./caller.mjs";
import { freshKey } from "./fresh.mjs";
import { isUnfinished, ownData } from "./own-data.mjs";
import { samples } from "./samples.mjs";

const panel = document.querySelector("[data-try]");
const { plan, sandbox } = JSON.parse(panel.dataset.try);
const { call } = plan;
const others = new Map(plan.others.map((other) => [other.id, other]));
const form = panel.querySelector("form");
const fields = form.elements;
const outcome = panel.querySelector(".outcome");
const note = panel.querySelector(".note");
const sampleKey = "borsello-sample";
const keyHeader = "Idempotency-Key";

let caller = null;
let own = ownData("nobody");
/** What the form holds in place of the story's values, until something is created with it. */
let drawn = new Map();
/** The keys that the form was given, and the request that they were sent with. */
let keys = { header: "", sentWith: null };
/** Whether the reader has written into the form: a call of their own is sent as it is. */
let isEdited = false;

// The request, as the form says it

const valuesIn = (place) =>
  [...form.querySelectorAll(`[data-in="${place}"]`)]
    .filter(({ value }) => value !== "")
    .map(({ name, value }) => [name, value]);

const addressOf = (path, parameters, query) => {
  const filled = path.replaceAll(/\{(\w+)\}/g, (whole, name) =>
    parameters[name] === undefined ? whole : encodeURIComponent(parameters[name]),
  );
  const text = new URLSearchParams(query).toString();
  return `${filled}${text === "" ? "" : `?${text}`}`;
};

/** A form's fields are written as JSON, too, and sent as a form. */
const bodyInForm = () => {
  const text = fields.body?.value.trim() || undefined;
  return text?.startsWith("{") && typeOf("").includes("form")
    ? new URLSearchParams(JSON.parse(text)).toString()
    : (fields.file?.files[0] ?? text);
};

const typeOf = (body) =>
  typeof body === "string" ? (fields.body?.dataset.type ?? "application/json") : body.type;

const requestInForm = () => {
  const body = bodyInForm();
  return {
    method: call.method,
    url: addressOf(call.path, Object.fromEntries(valuesIn("path")), valuesIn("query")),
    headers: {
      ...(body === undefined ? {} : { "Content-Type": typeOf(body) }),
      ...Object.fromEntries(valuesIn("header")),
    },
    body,
  };
};

const send = async ({ method, url, headers, body }, credentials) => {
  const startedAt = performance.now();
  const answer = await fetch(url, { method, body, headers: { ...headers, ...credentials } });
  const isJson = (answer.headers.get("Content-Type") ?? "").includes("json");
  const content = isJson ? await answer.json() : await answer.blob();
  return { answer, isJson, content, ms: Math.round(performance.now() - startedAt) };
};

/** Once more with a new token where the platform no longer takes the one that was kept. */
const sendAs = async (request, as, asked) => {
  const sent = await send(request, await headersOf(as, asked, sandbox));
  if (sent.answer.status !== 401 || as?.clientId === undefined) return sent;
  forgetTokens();
  return send(request, await headersOf(as, asked, sandbox));
};

// The reader's own values

const learn = (asked, sent, values) => {
  if (!sent.answer.ok || !sent.isJson) return;
  const isReplay = sent.answer.headers.get("Idempotency-Replayed") === "true";
  if (asked.creates && !isReplay) own.forget(asked.forgets);
  own.learn(asked.example.answer, sent.content, values, asked.method !== "GET");
};

const fill = () => {
  drawn = sandbox === null ? new Map() : own.draw(call);
  const mine = (value) => own.own(value, drawn);
  for (const place of ["path", "query"])
    for (const [name, value] of Object.entries(call.example[place] ?? {})) {
      const field = form.querySelector(`[data-in="${place}"][name="${CSS.escape(name)}"]`);
      if (field !== null) field.value = mine({ [name]: value })[name];
    }
  if (fields.body !== undefined && call.example.body !== undefined)
    fields.body.value = JSON.stringify(mine(call.example.body), null, 2);
  keys = { header: freshKey(), sentWith: null };
  isEdited = false;
  if (fields[keyHeader] !== undefined) fields[keyHeader].value = keys.header;
  outcome.replaceChildren();
  showSample();
};

/** What was sent once under a key is sent under another when it is another request, or was refused. */
const renewKeys = (wasRefused) => {
  const keyInBody = own.keyIn(call.example.body, drawn);
  const text = () => JSON.stringify([requestInForm().url, requestInForm().body]);
  const isSame = keys.sentWith === null || keys.sentWith === text();
  if (!isSame || wasRefused) {
    if (fields[keyHeader]?.value === keys.header) {
      keys.header = freshKey();
      fields[keyHeader].value = keys.header;
    }
    if (keyInBody !== undefined && fields.body.value.includes(keyInBody.own)) {
      const anew = freshKey();
      fields.body.value = fields.body.value.replace(keyInBody.own, anew);
      drawn.set(keyInBody.storys, anew);
    }
  }
  keys.sentWith = text();
};

// What the answer looks like

const element = (name, className, ...children) => {
  const made = document.createElement(name);
  made.className = className;
  made.append(...children);
  return made;
};

const statusLine = ({ answer, ms }, label) =>
  element(
    "p",
    "line",
    element("span", `status ${answer.ok ? "good" : "bad"}`, String(answer.status)),
    ` ${label}`,
    element("span", "soft", ` ${ms} ms`),
  );

const shownContent = ({ isJson, content }) => {
  if (isJson)
    return element(
      "figure",
      "block",
      element("pre", "", element("code", "", JSON.stringify(content, null, 2))),
    );
  const link = element("a", "", `${content.size} bytes, ${content.type || "no media type"}`);
  link.href = URL.createObjectURL(content);
  link.download = call.id;
  return element("p", "", link);
};

const show = (sent) => {
  const isReplay = sent.answer.headers.get("Idempotency-Replayed") === "true";
  const line = statusLine(sent, isReplay ? "the first answer again, by its key" : "");
  outcome.append(line, shownContent(sent));
};

// Sending

const stepRequest = (step, values) => {
  const mine = own.own(step.example, values);
  const body = mine.body === undefined ? undefined : JSON.stringify(mine.body);
  return {
    method: step.method,
    url: addressOf(step.path, mine.path ?? {}, mine.query),
    headers: {
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      ...(step.takesKey ? { [keyHeader]: freshKey() } : {}),
    },
    body,
  };
};

/** So many calls at most for one click. */
const callsMax = 24;
const remediesMax = 3;
let callsLeft = 0;

const makeAll = async (asked, isWanted) => {
  for (const { id, maker } of asked.needs) if (isWanted(id)) await make(others.get(maker));
};

const makeMissing = (asked) => makeAll(asked, (id) => !own.has(id));

/** The last of the things in the call's address that a call makes. */
const lastNamed = ({ path, example, needs }) =>
  [...path.matchAll(/\{(\w+)\}/g)]
    .map(([, name]) => example.path?.[name])
    .findLast((value) => needs.some(({ id }) => id === value));

/** Ticketing's refusals have no codes: of a prefilled call, 422 can only tell of the ticket's status. */
const codeOf = ({ status }, content) =>
  content?.errorCode ??
  (status === 422 && "error" in content ? "TicketTransitionInvalid" : undefined);

/** Mends what a refusal complains of. Resolves to whether it could. */
const mend = async (asked, { answer, content }) => {
  const code = codeOf(answer, content);
  const mending = plan.stepsBefore[asked.id]?.[code] ?? plan.remedies[code];
  const steps = mending?.map((id) => others.get(id)).filter(Boolean) ?? [];
  if (steps.length > 0 && !steps.includes(asked)) {
    for (const step of steps) await make(step);
    await makeMissing(asked);
    return true;
  }
  const named = lastNamed(asked);
  if (!plan.wornOut.includes(code) || named === undefined) return false;
  await makeAll(asked, (id) => id === named);
  return true;
};

const patienceMs = 6_000;
const pauseMs = 250;

/** What was just made may take a moment to arrive: sends again while the refusal is the same. */
const patiently = async (sendOnce, refused) => {
  const endsAt = performance.now() + patienceMs;
  let sent;
  do {
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    sent = await sendOnce(true);
  } while (
    !sent.answer.ok &&
    sent.content?.errorCode === refused.content?.errorCode &&
    performance.now() < endsAt
  );
  return sent;
};

/** Sends until it is not refused, mending in between. */
const perform = async (asked, sendOnce) => {
  const before = callsLeft;
  await makeMissing(asked);
  let sent = await sendOnce(false);
  if (sent.answer.status === 404 && callsLeft < before) sent = await patiently(sendOnce, sent);
  for (
    let time = 0;
    time < remediesMax && !sent.answer.ok && (await mend(asked, sent));
    time += 1
  ) {
    const again = await sendOnce(true);
    const isSame = again.content?.errorCode === sent.content?.errorCode;
    sent = isSame && !again.answer.ok ? await patiently(sendOnce, again) : again;
  }
  return sent;
};

/** One of the calls that another needs, with new values; it is told above the answer. */
const make = async (step) => {
  callsLeft -= 1;
  if (callsLeft < 0) throw new Error("This call needs more than the page can make for it.");
  const as = callerFor(step.role, caller, sandbox);
  let values = new Map();
  const sendStep = () => {
    values = own.draw(step);
    return sendAs(stepRequest(step, values), as, step);
  };
  let sent = await perform(step, sendStep);
  const endsAt = performance.now() + patienceMs;
  while (
    step.method === "GET" &&
    isUnfinished(step.example.answer, sent.content) &&
    performance.now() < endsAt
  ) {
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    sent = await sendStep();
  }
  outcome.append(statusLine(sent, `first: ${step.summary}`));
  if (!sent.answer.ok) {
    outcome.append(shownContent(sent));
    throw new Error(`“${step.summary}” was refused, which this call needs first.`);
  }
  learn(step, sent, values);
};

/** The form's values of what was made anew meanwhile, and the story's where they are known now. */
const followOwn = (former) => {
  for (const [storys, mine] of own.snapshot()) {
    const old = former.get(storys) ?? storys;
    if (old === mine) continue;
    for (const field of form.querySelectorAll("[data-in], textarea"))
      if (field.value === old || old.length >= 9) field.value = field.value.replaceAll(old, mine);
    former.set(storys, mine);
  }
};

const submit = async () => {
  outcome.replaceChildren();
  callsLeft = callsMax;
  const former = own.snapshot();
  const sendForm = (wasRefused) => {
    followOwn(former);
    renewKeys(wasRefused);
    showSample();
    return sendAs(requestInForm(), caller, call);
  };
  const isSandbox = sandbox !== null && caller?.clientId !== undefined;
  if (isSandbox && isEdited) await makeMissing(call);
  const sent = await (isSandbox && !isEdited ? perform(call, sendForm) : sendForm(false));
  show(sent);
  learn(call, sent, drawn);
};

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  panel.classList.add("busy");
  note.textContent = "";
  try {
    if (call.role !== null && caller === null) {
      note.textContent = "Choose first as whom to call.";
      fields.caller.focus();
    } else await submit();
  } catch (error) {
    note.textContent = error instanceof TypeError ? "The platform does not answer." : error.message;
  } finally {
    panel.classList.remove("busy");
  }
});

// Who calls

const lacksRole = () => caller?.roles && call.role !== null && !caller.roles.includes(call.role);

const choose = (choice) => {
  caller = callerOf(choice, sandbox);
  own = ownData(caller?.name ?? "nobody");
  const [told] = sandbox?.callers ?? [];
  if (told !== undefined && caller?.clientId !== undefined)
    own.stand([
      [told.name, caller.name],
      [told.dealers[0], caller.dealers[0]],
      [told.collectionIban, caller.collectionIban],
    ]);
  note.textContent = lacksRole()
    ? `${caller.name} lacks the role ${call.role}; ${callerFor(call.role, caller, sandbox).name} has it.`
    : "";
  fill();
};

const paste = form.querySelector(".paste");

const pasted = () => ({
  token: fields.token.value.trim().replace(/^Bearer /i, ""),
  authKey: fields.authKey.value.trim(),
  name: fields.partner.value.trim(),
});

const choiceInForm = () => {
  const chosen = fields.caller.value;
  if (chosen.startsWith("sandbox:")) return { sandbox: chosen.slice("sandbox:".length) };
  return chosen === "pasted" || sandbox === null ? { pasted: pasted() } : null;
};

const showPaste = () => (paste.hidden = !(fields.caller.value === "pasted" || sandbox === null));

if (fields.caller !== undefined) {
  const kept = keptChoice();
  if (kept?.pasted !== undefined) {
    if (sandbox !== null) fields.caller.value = "pasted";
    fields.token.value = kept.pasted.token;
    fields.authKey.value = kept.pasted.authKey;
    fields.partner.value = kept.pasted.name;
  } else if (kept !== null && sandbox !== null) fields.caller.value = `sandbox:${kept.sandbox}`;
  form.querySelector(".who").addEventListener("change", () => {
    showPaste();
    keepChoice(choiceInForm());
    choose(choiceInForm());
  });
  showPaste();
}

// Code samples

const tabs = [...panel.querySelectorAll("[data-sample]")];

function showSample() {
  const chosen = localStorage.getItem(sampleKey) ?? "curl";
  const request = requestInForm();
  const credentials = call.role === null ? {} : { Authorization: "Bearer" };
  for (const header of call.role === null ? [] : call.credentials)
    credentials[header] = header === "AuthKey" ? (caller?.authKey ?? "…") : (caller?.name ?? "…");
  panel.querySelector(".samples code").textContent = samples[chosen]({
    ...request,
    url: `${location.origin}${request.url}`,
    headers: { ...credentials, ...request.headers },
    isBinaryAnswer: call.example.answer === undefined,
  });
  for (const tab of tabs) tab.setAttribute("aria-selected", String(tab.dataset.sample === chosen));
}

for (const tab of tabs)
  tab.addEventListener("click", () => {
    localStorage.setItem(sampleKey, tab.dataset.sample);
    showSample();
  });

form.addEventListener("input", (event) => {
  isEdited ||= event.target.matches("[data-in], textarea");
  showSample();
});
const anew = panel.querySelector(".anew");
anew.hidden = sandbox === null;
anew.addEventListener("click", fill);
panel.querySelector(".samples").hidden = false;
// Until here nothing can be sent: the browser would send the form by itself.
form.querySelector("fieldset").disabled = false;
choose(fields.caller === undefined ? null : choiceInForm());
