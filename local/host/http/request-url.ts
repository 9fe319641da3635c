/** The path of a request as the genuine host sees it, and the URL that it hands to the function. */

const plainPath = /^[\w\-~.!$&'()*+,;=:@/]*$/;
const plainQuery = /^[\w\-~.!$&()*+,;=:@/?%[\]|^`{}\\]*$/;
const plainHost = /^[a-z0-9.-]+(?::\d+)?$/;

/** Whether node let something through that a request line may not hold. */
export const isMalformedTarget = (target: string): boolean =>
  !target.startsWith("/") || /[^\x21-\x7e]/.test(target);

const decodeEscapes = (escapes: string): string => {
  try {
    return decodeURIComponent(escapes);
  } catch {
    return escapes;
  }
};

/** Everything is decoded except an encoded slash and what is no valid escape. */
const decodePath = (path: string): string =>
  path
    .split(/(%2f)/i)
    .map((piece, index) =>
      index % 2 === 1 ? piece : piece.replace(/(?:%[0-9a-f]{2})+/gi, decodeEscapes),
    )
    .join("");

const removeDotSegments = (path: string): string => {
  const kept: string[] = [];
  const segments = path.split("/").slice(1);
  for (const [index, segment] of segments.entries()) {
    if (segment === "..") kept.pop();
    else if (segment !== ".") kept.push(segment);
    if ((segment === "." || segment === "..") && index === segments.length - 1) kept.push("");
  }
  return `/${kept.join("/")}`;
};

/** The decoded path without dot segments, which routes and parameters are read from. */
export const requestPath = (rawPath: string): string => {
  if (!rawPath.includes("%") && !rawPath.includes("/.")) return rawPath;
  return removeDotSegments(decodePath(rawPath));
};

/**
 * The URL is rebuilt from the decoded path. Without streaming, what looks like an escape in the
 * decoded path is left alone; with streaming, its percent sign is escaped once more.
 */
export const requestUrl = (
  host: string,
  path: string,
  query: string,
  streaming: boolean,
): string => {
  const simple = plainPath.test(path) && plainQuery.test(query);
  if (simple && plainHost.test(host) && !host.endsWith(":80"))
    return `http://${host}${path}${query}`;
  const percent = streaming ? /%/g : /%(?![0-9a-f]{2})/gi;
  const encoded = path
    .replace(percent, "%25")
    .replace(/[^\w\-~.!$&'()*+,;=:@/%]+/gu, (text) => encodeURIComponent(text));
  return new URL(`http://${host}${encoded}${query}`).href;
};
