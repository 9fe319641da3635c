// The import rule of the folders as an ESLint rule: an arrow that the table does not list is an error.
import { dirname, relative, resolve, sep } from "node:path";

/** Which folder may import which; the first row that matches the importing file holds. */
const arrows = [
  [/^shared\/domain\//, [/^shared\/domain\//]],
  [/^shared\/contracts\//, [/^shared\/(contracts|domain)\//]],
  [/^shared\/platform\//, [/^shared\/platform\//]],
  [/^shared\/events\//, [/^shared\/(events|database|contracts|domain|platform)\//]],
  [
    /^shared\/(database|http|durable|bank|documents|identity)\//,
    "own",
    [/^shared\/(contracts|domain|platform)\//],
  ],
  [/^orchestrations\/.*\.flow\.ts$/, [/\.flow\.ts$/, /^shared\/(contracts|durable|domain)\//]],
  [/^orchestrations\/.*\.activities\.ts$/, [/\.flow\.ts$/, /^shared\/(?!http\/)/]],
  [/^functions\/main\.ts$/, [/^(functions|orchestrations|shared)\//]],
  [/^functions\//, [/^functions\//, /^shared\//, /\.flow\.ts$/]],
  [/^local\//, [/^local\//]],
  [
    /^bench\//,
    [/^bench\//, /^shared\/(contracts|domain|http|platform)\//, /^local\/postgres\/server\.ts$/],
  ],
  [/^test\//, [/^(test|functions|orchestrations|shared|local|bench)\//]],
];

const allowedFor = (file) => {
  for (const [from, ...to] of arrows) {
    const match = from.exec(file);
    if (match === null) continue;
    return to.flatMap((part) => (part === "own" ? [new RegExp(`^${match[0]}`)] : part));
  }
  return null;
};

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
      if (!allowed.some((pattern) => pattern.test(to)))
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
