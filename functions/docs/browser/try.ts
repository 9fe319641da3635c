/** Trying an operation: the form becomes a call with the chosen caller's credentials, and its answer is shown. */
import type { TryData } from "../reference/call-plan.js";
import { maybe, one } from "./kit/elements.js";
import { authKeyOf, callerOf, lackOf, type Caller } from "./try/caller.js";
import { chooserIn } from "./try/chooser.js";
import { CallForm } from "./try/form.js";
import { learnFrom, Making } from "./try/making.js";
import { outcomeIn } from "./try/outcome.js";
import { OwnData } from "./try/own-data.js";
import { sendAs, type Sent } from "./try/requests.js";
import { sampleTabs } from "./try/sample-tabs.js";
import type { SampleCall } from "./try/samples.js";

const panel = one(document, "[data-try]", HTMLElement);
const { plan, sandbox } = JSON.parse(panel.dataset["try"] ?? "") as TryData;
const { call } = plan;
const form = one(panel, "form", HTMLFormElement);
const fields = one(form, "fieldset", HTMLFieldSetElement);
const note = one(panel, ".note", HTMLElement);
const anew = one(panel, ".anew", HTMLButtonElement);
const who = maybe(form, ".who", HTMLElement);

const callForm = new CallForm(form, call);
const outcome = outcomeIn(one(panel, ".outcome", HTMLElement), call.id);

let caller: Caller | null = null;
let own = new OwnData("nobody");
/** Whether the reader has written into the form: a call of their own is sent as it is. */
let isEdited = false;
/** The reader's values that stand in the form: after a click that failed half-way, older ones than are known. */
let shown = own.snapshot();

const sample = (): SampleCall => {
  const request = callForm.request();
  const isOpen = call.role === null;
  const credentials = isOpen
    ? []
    : call.credentials.map((header) => [
        header,
        (caller && (header === "AuthKey" ? authKeyOf(caller) : caller.name)) ?? "…",
      ]);
  return {
    ...request,
    url: `${location.origin}${request.url}`,
    headers: {
      ...(isOpen ? {} : { Authorization: "Bearer" }),
      ...(Object.fromEntries(credentials) as Record<string, string>),
      ...request.headers,
    },
    isBinaryAnswer: call.example.answer === undefined,
  };
};

const showSample = sampleTabs(one(panel, ".samples", HTMLElement), sample);

const fill = (): void => {
  callForm.fill(own, sandbox === null ? new Map<string, string>() : own.draw(call));
  shown = own.snapshot();
  isEdited = false;
  outcome.clear();
  showSample();
};

/** What the sandbox's first partner has of its own in the story, and this one in its place. */
const standingOf = (as: Caller | null): ReadonlyMap<string, string> => {
  const [told] = sandbox?.callers ?? [];
  if (told === undefined || as?.kind !== "sandbox") return new Map();
  const { name, dealers, collectionIban } = as.partner;
  const own = [
    [told.name, name],
    [told.dealers[0], dealers[0]],
    [told.collectionIban, collectionIban],
  ] as const;
  return new Map(
    own.flatMap(([storys, mine]) =>
      storys === undefined || mine === undefined ? [] : [[storys, mine] as const],
    ),
  );
};

const choose = (chosen: Caller | null): void => {
  caller = chosen;
  own = new OwnData(caller?.name ?? "nobody", standingOf(caller));
  note.textContent = lackOf(caller, call.role, sandbox) ?? "";
  // Who pastes another token goes on with what they have written.
  if (isEdited && caller?.kind === "pasted") showSample();
  else fill();
};

const chooser =
  who && chooserIn(who, sandbox, () => choose(callerOf(chooser?.choice() ?? null, sandbox)));

const submit = async (): Promise<void> => {
  outcome.clear();
  const sendForm = (wasRefused: boolean): Promise<Sent> => {
    callForm.follow(own, shown);
    callForm.renewKeys(wasRefused);
    showSample();
    return sendAs(callForm.request(), caller, call, sandbox);
  };
  const making =
    sandbox === null || caller?.kind !== "sandbox"
      ? null
      : new Making({ plan, sandbox, caller, own, outcome });
  if (isEdited) await making?.makeMissing(call);
  const sent = await (making === null || isEdited
    ? sendForm(false)
    : making.perform(call, sendForm));
  outcome.tellAnswer(sent);
  learnFrom(own, call, sent, callForm.drawn);
  shown = own.snapshot();
};

/** One click at a time, and nothing is changed beneath it; the focus is then where it was. */
const holding = async (work: () => Promise<void>): Promise<void> => {
  const focused = document.activeElement;
  fields.disabled = true;
  try {
    await work();
  } finally {
    fields.disabled = false;
    const isLost = document.activeElement === null || document.activeElement === document.body;
    if (isLost && focused instanceof HTMLElement) focused.focus({ preventScroll: true });
  }
};

const send = async (): Promise<void> => {
  if (call.role !== null && caller === null) {
    note.textContent = "Choose first as whom to call.";
    chooser?.focus();
    return;
  }
  panel.classList.add("busy");
  note.textContent = "";
  try {
    await holding(submit);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    note.textContent = error instanceof TypeError ? "The platform does not answer." : error.message;
  } finally {
    panel.classList.remove("busy");
  }
};

form.addEventListener("submit", (event) => {
  event.preventDefault();
  void send();
});
form.addEventListener("input", ({ target }) => {
  isEdited ||= target instanceof Element && target.matches("[data-in], textarea");
  showSample();
});
anew.hidden = sandbox === null;
anew.addEventListener("click", fill);
choose(callerOf(chooser?.choice() ?? null, sandbox));
// Until here nothing can be sent: the browser would send the form by itself.
fields.disabled = false;
