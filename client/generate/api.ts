/** The declaration of one API: an interface with a method for each route. */
import { errorTable, type ErrorCode } from "../../shared/contracts/errors.js";
import { mediaTypesOf, type Api, type Route } from "../../shared/contracts/route.js";
import { kitErrors } from "../../shared/http/kit-errors.js";
import type { Paging } from "../src/route-line.js";
import { pagingOf, routesOf } from "./lines.js";
import type { Models } from "./models.js";
import { docComment, indented, pascal, unionOf } from "./text.js";

const codesOf = (route: Route): readonly ErrorCode[] => [
  ...new Set([...route.errors, ...kitErrors(route)]),
];

/** What every call of the API may be refused with. */
const commonCodes = (routes: readonly Route[]): readonly ErrorCode[] => {
  const [first, ...others] = routes.map(codesOf);
  return (first ?? []).filter((code) => others.every((codes) => codes.includes(code)));
};

const statusesOf = (codes: readonly ErrorCode[]): readonly number[] =>
  [...new Set(codes.map((code) => errorTable[code].status))].sort((one, other) => one - other);

const optionsOf = (route: Route): string => {
  if (route.takesIdempotencyKey === true) return "KeyedCallOptions";
  if ("schema" in route.ok || mediaTypesOf(route.ok).length === 1) return "CallOptions";
  return `ChoosingCallOptions<${unionOf(mediaTypesOf(route.ok))}>`;
};

const refusalsOf = (route: Route): string =>
  route.errors.length === 0
    ? ""
    : [
        "Refusals:",
        ...route.errors.map((code) => `- \`${code}\`: ${errorTable[code].description}`),
      ].join("\n");

const itemsOf = (paging: Paging): string => {
  if (paging === "arrays") return "";
  return paging === "tickets" ? `["response"]` : `["items"]`;
};

const method = (route: Route, models: Models, common: readonly ErrorCode[]): string => {
  const { type, isOptional } = models.input(route);
  const output = models.output(route);
  const own = codesOf(route).filter((code) => !common.includes(code));
  const words = unionOf(route.api === "ticketing" ? statusesOf(codesOf(route)) : own);
  const name = pascal(route.api);
  const paging = pagingOf(route);
  const answer =
    paging === undefined
      ? `${name}Answer<${output}, ${words}>`
      : `${name}Pages<${output}, ${output}${itemsOf(paging)}[number], ${words}>`;
  return (
    docComment(
      `${route.summary}.`,
      route.description ?? "",
      route.role === null ? "" : `Role: \`${route.role}\`.`,
      refusalsOf(route),
    ) +
    `${route.id}(input${isOptional ? "?" : ""}: ${type}, options?: ${optionsOf(route)}): ${answer};\n`
  );
};

const heads: Readonly<Record<string, string>> = {
  ticketing: `export type TicketingAnswer<Value, Status extends number> =
  Promise<Result<Value, StatusRefusal<Status>>>;
export type TicketingPages<Page, Item, Status extends number> =
  PagedCall<Page, Item, StatusRefusal<Status>>;
`,
};

const headOf = (
  name: string,
  common: readonly ErrorCode[],
): string => `/** What every call may be refused with. */
export type ${name}CommonCode = ${unionOf(common)};
export type ${name}Answer<Value, Code extends ErrorCode> =
  Promise<Result<Value, Refusal<Code | ${name}CommonCode>>>;
export type ${name}Pages<Page, Item, Code extends ErrorCode> =
  PagedCall<Page, Item, Refusal<Code | ${name}CommonCode>>;
`;

export const apiDeclaration = (api: Api, all: readonly Route[], models: Models): string => {
  const routes = routesOf(api, all);
  const common = commonCodes(routes);
  const name = pascal(api);
  const methods = routes.map((route) => method(route, models, common)).join("\n");
  const words = new Set(methods.match(/\b[A-Z]\w*\b/g));
  const named = Object.keys(models.schemas()).filter((type) => words.has(type));
  return `import type { CallOptions, ChoosingCallOptions, KeyedCallOptions } from "./kernel/call.js";
import type { PagedCall } from "./kernel/pages.js";
import type { Result } from "./kernel/result.js";
import type { ErrorCode, NoInput, Refusal, StatusRefusal } from "./errors.js";
import type {
  ${named.join(",\n  ")},
} from "./models.js";

${heads[api] ?? headOf(name, common)}
export interface ${name}Api {
${indented(methods)}}
`;
};
