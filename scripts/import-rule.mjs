// The import rule of the folders as an ESLint rule: an arrow that the tables do not list is an error.
import { dirname, relative, resolve, sep } from "node:path";
import { rooms } from "./rooms.mjs";

/** Which folder may import which; the first row that matches the importing file holds. */
const arrows = [
  [/^shared\/domain\//, [/^shared\/domain\//]],
  [/^shared\/contracts\//, [/^shared\/(contracts|domain)\//]],
  [/^shared\/platform\//, [/^shared\/platform\//]],
  [/^shared\/events\//, [/^shared\/(events|database|contracts|domain|platform)\//]],
  // The client of tests and demo asks for its tokens as the one of partners does.
  [
    /^shared\/http\/client\.ts$/,
    [/^shared\/(http|contracts|domain|platform)\//, /^client\/src\/tokens\.ts$/],
  ],
  [
    /^shared\/(database|http|durable|bank|affiliates|card-processor|documents|identity)\//,
    "own",
    [/^shared\/(contracts|domain|platform)\//],
  ],
  [/^orchestrations\/.*\.flow\.ts$/, [/\.flow\.ts$/, /^shared\/(contracts|durable|domain)\//]],
  [/^orchestrations\/.*\.activities\.ts$/, [/\.flow\.ts$/, /^shared\/(?!http\/)/]],
  // What runs in readers' browsers knows what its pages hand over, and rules that know nothing else.
  [
    /^functions\/docs\/browser\//,
    [
      /^functions\/docs\/(browser\/|search-entry\.ts$|reference\/call-plan\.ts$)/,
      /^shared\/domain\/wallet\/check-letter\.ts$/,
    ],
  ],
  [/^functions\/main\.ts$/, [/^(functions|orchestrations|shared)\//]],
  [/^functions\//, [/^functions\//, /^shared\//, /\.flow\.ts$/]],
  // The local parts know nothing of the app, but for the list of what is an outage: there is one list.
  [/^local\//, [/^local\//, /^shared\/platform\/outage\.ts$/]],
  [
    /^bench\//,
    [/^bench\//, /^shared\/(contracts|domain|http|platform)\//, /^local\/postgres\/server\.ts$/],
  ],
  // What partners install knows nothing of the app; what makes it reads the app's own declarations.
  [/^client\/src\//, [/^client\/src\//]],
  [
    /^client\/generate\//,
    [/^client\/(src|generate)\//, /^shared\/(contracts|http)\//, /^functions\/endpoints\.ts$/],
  ],
  // Operators' commands work on what the app works on, beside it.
  [/^tools\//, [/^tools\//, /^shared\//, /^functions\/kit\//, /^bench\/kit\/table\.ts$/]],
  [/^test\//, [/^(test|functions|orchestrations|shared|local|tools|bench|client)\//]],
];

const allowedFor = (file) => {
  for (const [from, ...to] of arrows) {
    const match = from.exec(file);
    if (match === null) continue;
    return to.flatMap((part) => (part === "own" ? [new RegExp(`^${match[0]}`)] : part));
  }
  return null;
};

/** The room of a file within an area, "" for the area's own files; null outside the area. */
const roomIn = (area, file) => {
  if (!file.startsWith(`${area}/`)) return null;
  const rest = file.slice(area.length + 1);
  return rest.includes("/") ? rest.slice(0, rest.indexOf("/")) : "";
};

/** Within an area: a room imports itself and the rooms listed for it; the area's own files import all. */
const mayEnter = (from, to) =>
  Object.entries(rooms).every(([area, arrowsOf]) => {
    const [room, entered] = [roomIn(area, from), roomIn(area, to)];
    if (room === null || entered === null || room === entered || room === "") return true;
    return arrowsOf[room]?.includes(entered) ?? false;
  });

const posix = (path) => path.split(sep).join("/");

export const importRule = {
  meta: { type: "problem", schema: [], messages: { arrow: "{{from}} may not import {{to}}" } },
  create(context) {
    const from = posix(relative(context.cwd, context.filename));
    const allowed = allowedFor(from);
    if (allowed === null) return {};
    const check = (node) => {
      const source = node.source?.value;
      if (typeof source !== "string" || !source.startsWith(".")) return;
      const to = posix(relative(context.cwd, resolve(dirname(context.filename), source))).replace(
        /\.js$/,
        ".ts",
      );
      if (!allowed.some((pattern) => pattern.test(to)) || !mayEnter(from, to))
        context.report({ node, messageId: "arrow", data: { from, to } });
    };
    return {
      ImportDeclaration: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
      ImportExpression: check,
    };
  },
};
