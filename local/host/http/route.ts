/** What the trigger of an HTTP function says about its route. */
import type { HostedFunction } from "../app/hosted-function.js";

export const isHttpTrigger = (fn: HostedFunction): boolean =>
  fn.trigger.type.toLowerCase() === "httptrigger";

export const methodsOf = (fn: HostedFunction): string[] => {
  const methods = fn.trigger["methods"];
  return Array.isArray(methods) ? methods.map((method) => String(method).toUpperCase()) : [];
};

/** The order in which functions are tried: by name in upper case, where `_` comes after the letters. */
export const compareNames = (one: string, other: string): number => {
  const [a, b] = [one.toUpperCase(), other.toUpperCase()];
  if (a === b) return 0;
  return a < b ? -1 : 1;
};

/** Without the route prefix. */
export const templateOf = (fn: HostedFunction): string => {
  const route = fn.trigger["route"];
  return typeof route === "string" ? route.replace(/^\//, "") : fn.name;
};
