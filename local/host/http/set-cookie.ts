/** `Set-Cookie` lines: in the library's words when it streams, in the host's when it does not. */
import type { Cookie } from "@azure/functions";
import type { CookieData } from "../app/core-types.js";

const httpDate = (ms: number): string => new Date(ms).toUTCString();

/** As the genuine host writes them: lower-case attributes, `path=/` unless said otherwise. */
export const bufferedCookie = (cookie: CookieData): string => {
  const seconds = cookie.expires?.value.seconds;
  const sameSite = cookie.sameSite === "explicitNone" ? "none" : cookie.sameSite;
  const attributes = [
    // The epoch is the protocol's way of saying "not set", so it is lost here as it is there.
    seconds === undefined || seconds === 0 ? undefined : `expires=${httpDate(seconds * 1000)}`,
    cookie.maxAge === undefined ? undefined : `max-age=${cookie.maxAge.value}`,
    cookie.domain === undefined ? undefined : `domain=${cookie.domain.value}`,
    `path=${cookie.path?.value ?? "/"}`,
    cookie.secure?.value === true ? "secure" : undefined,
    sameSite === undefined || (sameSite === "none" && cookie.sameSite !== "explicitNone")
      ? undefined
      : `samesite=${sameSite}`,
    cookie.httpOnly?.value === true ? "httponly" : undefined,
  ].filter((attribute) => attribute !== undefined);
  return [`${cookie.name}=${encodeURIComponent(cookie.value)}`, ...attributes].join("; ");
};

/** As the library writes them to the connection: no default path. */
export const streamedCookie = (cookie: Cookie): string => {
  const { expires } = cookie;
  const attributes = [
    cookie.maxAge === undefined ? undefined : `Max-Age=${Math.floor(cookie.maxAge)}`,
    cookie.domain === undefined ? undefined : `Domain=${cookie.domain}`,
    cookie.path === undefined ? undefined : `Path=${cookie.path}`,
    expires === undefined ? undefined : `Expires=${new Date(expires).toUTCString()}`,
    cookie.httpOnly === true ? "HttpOnly" : undefined,
    cookie.secure === true ? "Secure" : undefined,
    cookie.sameSite === undefined ? undefined : `SameSite=${cookie.sameSite}`,
  ].filter((attribute) => attribute !== undefined);
  return [`${cookie.name}=${encodeURIComponent(cookie.value)}`, ...attributes].join("; ");
};
