/** Where a route lives: base paths, templates, and function names that sort literals first. */
import type { Api, Route } from "../contracts/route.js";

const basePaths: Readonly<Record<Api, string>> = {
  ticketing: "ticketing",
  wallet: "wallet",
  card: "card",
  sandbox: "sandbox",
  platform: "",
};

type Addressed = Pick<Route, "api" | "path">;

/** The whole template, without a leading slash: `wallet/wallets/{walletId}`. */
export const fullPath = ({ api, path }: Addressed): string =>
  basePaths[api] === "" ? path : `${basePaths[api]}/${path}`;

export const basePath = (api: Api): string => basePaths[api];

export const segmentsOf = (path: string): string[] => path.split("/");

const parameter = /^\{(\w+)\}$/;

/** The parameter's name where the segment of a template is one. */
export const parameterName = (segment: string): string | undefined => parameter.exec(segment)?.[1];

/**
 * The function's name. The host takes the first template that matches in order of names, so the name
 * holds a digit per segment, 0 for a literal and 1 for a parameter: among templates that overlap, the
 * one whose literal comes first sorts first.
 */
export const functionName = (route: Addressed & Pick<Route, "id">): string => {
  const digits = segmentsOf(route.path)
    .map((segment) => (parameterName(segment) === undefined ? "0" : "1"))
    .join("");
  return `${route.api}_${digits}_${route.id}`;
};

/** True where the host would match: literals ignoring case, parameters by anything but nothing. */
export const matchesTemplate = (
  template: readonly string[],
  segments: readonly string[],
): boolean =>
  template.length === segments.length &&
  template.every((part, index) =>
    parameterName(part) === undefined
      ? part.toLowerCase() === segments[index]?.toLowerCase()
      : segments[index] !== "",
  );

/** The segments of a request's path, still encoded, without the slashes at its ends. */
export const requestSegments = (url: string): string[] =>
  segmentsOf(new URL(url).pathname.replace(/^\/|\/$/g, ""));
