/** Route templates in the syntax of ASP.NET: literals, `{name:int?}`, `{name=default}`, `{*rest}`. */
import { StartError } from "../../start-error.js";
import { parseConstraint, type Constraint } from "./route-constraints.js";

interface Parameter {
  readonly kind: "parameter";
  readonly name: string;
  readonly constraints: readonly Constraint[];
  readonly optional: boolean;
  readonly catchAll: boolean;
  readonly defaultValue: string | undefined;
}

interface Literal {
  readonly kind: "literal";
  /** In lower case: literals match in any case. */
  readonly text: string;
}

/** A segment of several parts, like `{name}.{ext}`. */
interface Mixed {
  readonly kind: "mixed";
  readonly pattern: RegExp;
  readonly parameters: readonly Parameter[];
}

export type Segment = Parameter | Literal | Mixed;
export type RouteParameters = Record<string, string>;

/** The parts of a request path, and whether a slash follows the last one. */
export interface PathParts {
  readonly parts: readonly string[];
  readonly trailingSlash: boolean;
}

/** Splits at `separator`, but not inside parentheses (a regex may hold any character). */
const splitOutsideParentheses = (text: string, separator: string): string[] => {
  const pieces = [""];
  let depth = 0;
  for (const char of text) {
    if (char === "(") depth += 1;
    if (char === ")") depth -= 1;
    if (char === separator && depth === 0) pieces.push("");
    else pieces.push(`${pieces.pop() ?? ""}${char}`);
  }
  return pieces;
};

const parseParameter = (inside: string): Parameter => {
  const text = inside.replaceAll("{{", "{").replaceAll("}}", "}");
  const [declaration = "", ...defaults] = splitOutsideParentheses(text, "=");
  const [head = "", ...constraints] = splitOutsideParentheses(declaration, ":");
  const last = constraints.at(-1) ?? head;
  const optional = last.endsWith("?");
  const withoutMark = (part: string): string => (part.endsWith("?") ? part.slice(0, -1) : part);
  const [, stars = "", name = ""] = /^(\*{0,2})(.*)$/s.exec(withoutMark(head)) ?? [];
  return {
    kind: "parameter",
    name,
    constraints: constraints.map((constraint) => parseConstraint(withoutMark(constraint))),
    optional,
    catchAll: stars !== "",
    defaultValue: defaults.length > 0 ? defaults.join("=") : undefined,
  };
};

const escapeRegExp = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** Literals and parameters in turn, from the text of one segment. */
const parseSegment = (text: string, template: string): Segment => {
  const pieces = text.match(/\{(?:\{\{|\}\}|[^{}])*\}|[^{}]+/g) ?? [];
  if (pieces.join("") !== text)
    throw new StartError(`The braces of the route "${template}" do not match.`);
  const [first = ""] = pieces;
  if (pieces.length === 1)
    return first.startsWith("{")
      ? parseParameter(first.slice(1, -1))
      : { kind: "literal", text: first.toLowerCase() };
  const parameters: Parameter[] = [];
  let source = "";
  for (const piece of pieces) {
    if (piece.startsWith("{")) {
      parameters.push(parseParameter(piece.slice(1, -1)));
      source += "(.+)";
    } else source += escapeRegExp(piece);
  }
  return { kind: "mixed", pattern: new RegExp(`^${source}$`, "i"), parameters };
};

/** Slashes inside a parameter (a regex may hold one) do not end a segment. */
const splitSegments = (template: string): string[] => {
  const segments = [""];
  let depth = 0;
  for (const char of template) {
    if (char === "{") depth += 1;
    if (char === "}") depth -= 1;
    if (char === "/" && depth === 0) segments.push("");
    else segments.push(`${segments.pop() ?? ""}${char}`);
  }
  return segments;
};

export const parseTemplate = (template: string): readonly Segment[] => {
  const trimmed = template.replace(/^\/+|\/+$/g, "");
  if (trimmed === "") return [];
  return splitSegments(trimmed).map((text) => parseSegment(text, template));
};

const meets = (parameter: Parameter, value: string): boolean =>
  parameter.constraints.every((constraint) => constraint(value));

/** Puts the value of a parameter that the path leaves out; false where it may not be left out. */
const putAbsent = (segment: Segment, into: RouteParameters): boolean => {
  if (segment.kind !== "parameter") return false;
  if (segment.defaultValue !== undefined) into[segment.name] = segment.defaultValue;
  return segment.optional || segment.catchAll || segment.defaultValue !== undefined;
};

const putPresent = (segment: Segment, part: string, into: RouteParameters): boolean => {
  if (segment.kind === "literal") return part.toLowerCase() === segment.text;
  if (segment.kind === "parameter") {
    if (part === "" || !meets(segment, part)) return false;
    into[segment.name] = part;
    return true;
  }
  const values = segment.pattern.exec(part)?.slice(1);
  return segment.parameters.every((parameter, index) => {
    const value = values?.[index];
    if (value === undefined || !meets(parameter, value)) return false;
    into[parameter.name] = value;
    return true;
  });
};

const restOf = ({ parts, trailingSlash }: PathParts, from: number): string => {
  const rest = parts.slice(from).join("/");
  return trailingSlash && rest !== "" ? `${rest}/` : rest;
};

/** The parameters of a path that fits the template, or null. Absent ones are missing, not empty. */
export const matchTemplate = (
  segments: readonly Segment[],
  path: PathParts,
): RouteParameters | null => {
  const found: RouteParameters = {};
  for (const [index, segment] of segments.entries()) {
    const part = path.parts[index];
    if (part === undefined) {
      if (!putAbsent(segment, found)) return null;
    } else if (segment.kind === "parameter" && segment.catchAll) {
      const rest = restOf(path, index);
      if (rest === "" ? !putAbsent(segment, found) : !meets(segment, rest)) return null;
      if (rest !== "") found[segment.name] = rest;
      return found;
    } else if (!putPresent(segment, part, found)) return null;
  }
  return path.parts.length > segments.length ? null : found;
};
