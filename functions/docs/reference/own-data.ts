/** How the page makes the story's examples a reader's own: which calls make what a call names, or mend a refusal. */
import { isBinaryBody, type Route } from "../../../shared/contracts/route.js";
import { exampleOf } from "../../../shared/contracts/story/examples.js";
import type { RouteExample } from "../../../shared/contracts/story/route-example.js";
import { accessOf } from "../../../shared/http/access.js";
import { fullPath } from "../../../shared/http/paths.js";
import { errorTable, type ErrorCode } from "../../../shared/contracts/errors.js";
import type { Call, CallPlan, Step, StepsByCode } from "./call-plan.js";
import * as remedy from "./remedies.js";

/** Ids, and the case numbers of tickets. */
const identifier =
  /^(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|CAS(?:-[0-9A-Z]{4}){3})$/;

interface NamedId {
  readonly id: string;
  readonly property: string;
}

/** Ids with the names of their properties, those of a list in the singular. */
const idsIn = (value: unknown, property = ""): NamedId[] => {
  if (typeof value === "string") return identifier.test(value) ? [{ id: value, property }] : [];
  if (Array.isArray(value)) return value.flatMap((item) => idsIn(item, property.replace(/s$/, "")));
  return typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([name, item]) => idsIn(item, name))
    : [];
};

const asked = ({ path, query, body }: RouteExample): NamedId[] => idsIn({ path, query, body });

const withoutLists = (value: unknown): unknown => {
  if (Array.isArray(value)) return undefined;
  return typeof value === "object" && value !== null
    ? Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withoutLists(item)]))
    : value;
};

/** Each example is looked through once, however many calls ask who made what they name. */
const remembered = (
  look: (example: RouteExample) => readonly NamedId[],
): ((example: RouteExample) => readonly NamedId[]) => {
  const found = new WeakMap<RouteExample, readonly NamedId[]>();
  return (example) => {
    const ids = found.get(example) ?? look(example);
    found.set(example, ids);
    return ids;
  };
};

const answered = (example: RouteExample, answer: unknown): readonly NamedId[] => {
  const known = asked(example).map(({ id }) => id);
  return idsIn(answer).filter(({ id }) => !known.includes(id));
};

/** What is named first by the answer itself: lists, as of a search, only show what there is. */
const madeBy = remembered((example) => answered(example, withoutLists(example.answer)));
const listed = remembered((example) => answered(example, example.answer));

/** The one that others need of what a list shows. */
const shownBy = ({ id, example }: Pick<Call, "id" | "example">): readonly NamedId[] =>
  id in remedy.finders ? listed(example).slice(0, 1) : [];

type BareCall = Omit<Call, "needs" | "forgets" | "finds" | "sealed">;

const mediaTypeOf = ({ body }: Route): string => {
  const bytes = body !== undefined && isBinaryBody(body) ? body.contentTypes : [];
  return bytes[0] ?? "application/json";
};

const bareCallOf = (route: Route): BareCall => {
  const access = accessOf[route.api];
  const example = exampleOf(route.id) ?? {};
  return {
    id: route.id,
    method: route.method,
    path: `/${fullPath(route)}`,
    summary: route.summary,
    role: route.role,
    example,
    mediaType: mediaTypeOf(route),
    credentials: [
      ...(access.authKey ? ["AuthKey"] : []),
      ...(access.partnerRequired ? access.partnerHeaders.slice(0, 1) : []),
    ],
    takesKey: route.takesIdempotencyKey === true,
    creates: route.method === "POST" && madeBy(example).length > 0,
  };
};

/** What the body says under this name, of a customer's or a card's own. */
const saidAs = (names: readonly string[], body: unknown): string[] =>
  Object.entries(body ?? {}).flatMap(([name, value]: [string, unknown]) =>
    names.includes(name) && typeof value === "string" ? [value] : [],
  );

/** The call of the story that made this id, or of a payment, whose id callers choose, the first to tell of it. */
const makerOf = (id: string, calls: readonly BareCall[]): BareCall | undefined =>
  calls.find(({ creates, example }) => creates && madeBy(example).some((made) => made.id === id)) ??
  calls.find((call) => shownBy(call).some((shown) => shown.id === id)) ??
  calls.find(({ example: { body } }) => saidAs(["transactionId"], body).includes(id));

/** What the story made beside its told calls: the like of it, from the call that makes such things. */
const likeOf = (
  { id, property }: NamedId,
  { id: ownId, path }: BareCall,
  calls: readonly BareCall[],
): string => {
  const isSuch = (named: NamedId): boolean =>
    named.property.toLowerCase() === property.toLowerCase();
  const [collection, rest] = path.split(`/{${property}}`);
  const meant = remedy.makers[ownId]?.[property];
  const makers = calls.filter((call) => call.creates && call.id !== ownId);
  const maker =
    makers.find((call) => call.id === meant) ??
    makers.find((call) => rest !== undefined && call.path === collection) ??
    makers.find(({ example }) => madeBy(example).some(isSuch));
  const made = maker ? madeBy(maker.example) : calls.flatMap(shownBy);
  return (made.find(isSuch) ?? (maker && made[0]))?.id ?? id;
};

type Names = ReadonlyMap<string, string>;

const renamed = (value: unknown, names: Names): unknown => {
  if (typeof value === "string") return names.get(value) ?? value;
  if (Array.isArray(value)) return value.map((item) => renamed(item, names));
  return typeof value === "object" && value !== null
    ? Object.fromEntries(Object.entries(value).map(([name, item]) => [name, renamed(item, names)]))
    : value;
};

const renamedTexts = (texts: Readonly<Record<string, string>>, names: Names) =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, names.get(text) ?? text]));

const withKnownIds = (call: BareCall, calls: readonly BareCall[]): BareCall => {
  const { path, query, body, answer } = call.example;
  const names = new Map(
    asked(call.example)
      .filter(({ id }) => makerOf(id, calls) === undefined)
      .map((named) => [named.id, likeOf(named, call, calls)]),
  );
  const example: RouteExample = {
    ...(path === undefined ? {} : { path: renamedTexts(path, names) }),
    ...(query === undefined ? {} : { query: renamedTexts(query, names) }),
    ...(body === undefined ? {} : { body: renamed(body, names) }),
    ...(answer === undefined ? {} : { answer: renamed(answer, names) }),
  };
  return { ...call, example };
};

const needsOf = (call: BareCall, calls: readonly BareCall[]): Call["needs"] =>
  [...new Set(asked(call.example).map(({ id }) => id))].flatMap((id) => {
    const maker = makerOf(id, calls);
    return maker === undefined || maker.id === call.id ? [] : [{ id, maker: maker.id }];
  });

/** The accounts, tokens and payments that the calls of a customer or card name. */
const ownTexts = ["iban", "transactionId", "cardToken", "panToken"];

/** Steps as they are declared: most are calls as their examples have them. */
const stepsIn = (steps: readonly (string | Step)[]): readonly Step[] =>
  steps.map((step) => (typeof step === "string" ? { call: step } : step));

const findsOf = (call: BareCall): Call["finds"] => {
  const [shown] = shownBy(call);
  return shown ? { id: shown.id, after: stepsIn(remedy.finders[call.id] ?? []) } : null;
};

const sealedIn = ({ example: { body } }: BareCall): Call["sealed"] => {
  const [sealed] = Object.entries(remedy.sealed).flatMap(([property, { text, key }]) =>
    saidAs([property], body).map((storys) => ({ storys, text, key })),
  );
  return sealed ?? null;
};

/** All calls of all routes, each with what it needs. */
const plannedCalls = (routes: readonly Route[]): ReadonlyMap<string, Call> => {
  const told = routes
    .filter(({ api, id }) => api !== "platform" && exampleOf(id) !== undefined)
    .map(bareCallOf);
  const calls = told.map((call) => withKnownIds(call, told));
  const needs = new Map(calls.map((call) => [call.id, needsOf(call, calls)]));
  const needsEver = (id: string, maker: string, path: readonly string[] = []): boolean =>
    !path.includes(id) &&
    (needs.get(id) ?? []).some(
      (need) => need.maker === maker || needsEver(need.maker, maker, [...path, id]),
    );
  const ownTextsOf = new Map(
    calls.map((call) => [
      call.id,
      [
        ...madeBy(call.example)
          .map(({ id }) => id)
          .filter((id) => makerOf(id, calls)?.id === call.id),
        ...saidAs(ownTexts, call.example.body),
      ],
    ]),
  );
  const forgottenBy = (maker: string): string[] => [
    ...new Set(
      calls.filter(({ id }) => needsEver(id, maker)).flatMap(({ id }) => ownTextsOf.get(id) ?? []),
    ),
  ];
  return new Map(
    calls.map((call) => [
      call.id,
      {
        ...call,
        needs: needs.get(call.id) ?? [],
        forgets: call.creates ? forgottenBy(call.id) : [],
        finds: findsOf(call),
        sealed: sealedIn(call),
      },
    ]),
  );
};

/** Ticketing's refusals have no codes: there the status stands for those that its routes answer with it. */
const spoken = (code: ErrorCode, isUncoded: boolean): string =>
  isUncoded ? String(errorTable[code].status) : code;

const byCode = (
  steps: Readonly<Partial<Record<ErrorCode, readonly (string | Step)[]>>>,
  isUncoded: boolean,
): StepsByCode =>
  Object.fromEntries(
    Object.entries(steps).map(([code, told]) => [
      spoken(code as ErrorCode, isUncoded),
      stepsIn(told),
    ]),
  );

const planned = new WeakMap<readonly Route[], ReadonlyMap<string, Call>>();

/** A route's call with all that it may need, calls that need calls included. */
export const planOf = (route: Route, routes: readonly Route[]): CallPlan => {
  const calls = planned.get(routes) ?? plannedCalls(routes);
  planned.set(routes, calls);
  const known = new Map(routes.map((listed) => [listed.id, listed]));
  const isUncoded = (id: string): boolean => known.get(id)?.api === "ticketing";
  const isTickets = (code: ErrorCode): boolean =>
    routes.every(({ api, errors }) => api === "ticketing" || !errors.includes(code));
  const found = new Map<string, Call>();
  const collect = (id: string): void => {
    const call = calls.get(id);
    if (call === undefined || found.has(id)) return;
    found.set(id, call);
    for (const { maker } of call.needs) collect(maker);
    for (const step of call.finds?.after ?? []) collect(step.call);
    for (const code of known.get(id)?.errors ?? [])
      for (const step of stepsIn(remedy.stepsBefore[id]?.[code] ?? remedy.remedies[code] ?? []))
        collect(step.call);
  };
  collect(route.id);
  const call = found.get(route.id) ?? {
    ...bareCallOf(route),
    ...{ needs: [], forgets: [], finds: null, sealed: null },
  };
  const others = [...found.values()].filter(({ id }) => id !== route.id);
  const ownSteps = Object.entries(remedy.stepsBefore).filter(([id]) => found.has(id));
  return {
    call,
    others,
    remedies: byCode(remedy.remedies, false),
    stepsBefore: Object.fromEntries(
      ownSteps.map(([id, steps]) => [id, byCode(steps, isUncoded(id))]),
    ),
    wornOut: remedy.wornOut.flatMap((code) => (isTickets(code) ? [spoken(code, true)] : [code])),
    overtaken: remedy.overtaken,
    hint: remedy.hints[route.id] ?? null,
  };
};
