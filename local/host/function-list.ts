/** The functions of an app for the person at the terminal: HTTP ones by address, others by trigger. */
import type { HostedFunction } from "./app/hosted-function.js";
import { isHttpTrigger, methodsOf, templateOf } from "./http/route.js";

const lineOf = (fn: HostedFunction, url: string, routePrefix: string): string => {
  if (!isHttpTrigger(fn)) return `${fn.name}: ${fn.trigger.type}`;
  const path = [routePrefix, templateOf(fn)].filter((part) => part !== "").join("/");
  return `${fn.name}: [${methodsOf(fn).join(",")}] ${url}/${path}`;
};

/** In order of their names, those that have an address before the others. */
export const functionList = (
  functions: readonly HostedFunction[],
  url: string,
  routePrefix: string,
): string[] => {
  const inOrder = functions.toSorted((a, b) =>
    a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1,
  );
  const withAddress = inOrder.filter(isHttpTrigger);
  const others = inOrder.filter((fn) => !isHttpTrigger(fn));
  return [...withAddress, ...others].map((fn) => lineOf(fn, url, routePrefix));
};
