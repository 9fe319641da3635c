/** How the page makes the story's examples a reader's own: which calls make what a call names, or mend a refusal. */
import type { Route } from "../../../shared/contracts/route.js";
import { exampleOf } from "../../../shared/contracts/story/examples.js";
import type { RouteExample } from "../../../shared/contracts/story/route-example.js";
import { accessOf } from "../../../shared/http/access.js";
import { fullPath } from "../../../shared/http/paths.js";
import type { Call, CallPlan } from "./call-plan.js";
import { hints, remedies, stepsBefore, wornOut } from "./remedies.js";

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

/** What is named first by the answer itself: lists, as of a search, only show what there is. */
const madeBy = (example: RouteExample): NamedId[] => {
  const known = asked(example).map(({ id }) => id);
  return idsIn(withoutLists(example.answer)).filter(({ id }) => !known.includes(id));
};

type BareCall = Omit<Call, "needs" | "forgets">;

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
  calls.find(({ example: { body } }) => saidAs(["transactionId"], body).includes(id));

/** What the story made beside its told calls: the like of it, from the call that makes such things. */
const likeOf = (
  { id, property }: NamedId,
  { id: ownId, path }: BareCall,
  calls: readonly BareCall[],
): string => {
  const [collection, rest] = path.split(`/{${property}}`);
  const makers = calls.filter((call) => call.creates && call.id !== ownId);
  const maker =
    makers.find((call) => rest !== undefined && call.path === collection) ??
    makers.find(({ example }) => madeBy(example).some((made) => made.property === property));
  const made = maker && madeBy(maker.example);
  return (made?.find((like) => like.property === property) ?? made?.[0])?.id ?? id;
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
  const forgottenBy = (maker: string): string[] => [
    ...new Set(
      calls
        .filter(({ id }) => needsEver(id, maker))
        .flatMap((call) => [
          ...madeBy(call.example)
            .map(({ id }) => id)
            .filter((id) => makerOf(id, calls)?.id === call.id),
          ...saidAs(ownTexts, call.example.body),
        ]),
    ),
  ];
  return new Map(
    calls.map((call) => [
      call.id,
      {
        ...call,
        needs: needs.get(call.id) ?? [],
        forgets: call.creates ? forgottenBy(call.id) : [],
      },
    ]),
  );
};

const planned = new WeakMap<readonly Route[], ReadonlyMap<string, Call>>();

/** A route's call with all that it may need, calls that need calls included. */
export const planOf = (route: Route, routes: readonly Route[]): CallPlan => {
  const calls = planned.get(routes) ?? plannedCalls(routes);
  planned.set(routes, calls);
  const codes = new Map(routes.map(({ id, errors }) => [id, errors]));
  const found = new Map<string, Call>();
  const collect = (id: string): void => {
    const call = calls.get(id);
    if (call === undefined || found.has(id)) return;
    found.set(id, call);
    for (const { maker } of call.needs) collect(maker);
    for (const code of codes.get(id) ?? [])
      (stepsBefore[id]?.[code] ?? remedies.get(code))?.forEach(collect);
  };
  collect(route.id);
  const call = found.get(route.id) ?? { ...bareCallOf(route), needs: [], forgets: [] };
  const others = [...found.values()].filter(({ id }) => id !== route.id);
  return {
    call,
    others,
    remedies: Object.fromEntries(remedies),
    stepsBefore,
    wornOut,
    hint: hints[route.id] ?? null,
  };
};
