// The circle rule as an ESLint rule: no file imports itself by way of others, not even its types.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import ts from "typescript";

const areas = ["shared", "orchestrations", "functions", "local", "bench", "test"];
const posix = (path) => path.split(sep).join("/");

/** The path of what a file imports by a relative name, as TypeScript has it. */
export const importedPath = (file, source) =>
  posix(join(dirname(file), source)).replace(/\.js$/, ".ts");

/** By path, the paths of what each source file imports. */
const readGraph = (root) =>
  new Map(
    areas
      .flatMap((area) =>
        readdirSync(join(root, area), { recursive: true }).map((file) => posix(join(area, file))),
      )
      .filter((file) => file.endsWith(".ts"))
      .map((file) => {
        const { importedFiles } = ts.preProcessFile(readFileSync(join(root, file), "utf8"));
        const sources = importedFiles.map(({ fileName }) => fileName);
        const relatives = sources.filter((source) => source.startsWith("."));
        return [file, relatives.map((source) => importedPath(file, source))];
      }),
  );

/** The way from one file to another along imports; undefined where there is none. */
const wayBetween = (graph, from, to, passed = new Set()) => {
  if (from === to) return [to];
  passed.add(from);
  for (const next of graph.get(from) ?? []) {
    if (passed.has(next)) continue;
    const way = wayBetween(graph, next, to, passed);
    if (way !== undefined) return [from, ...way];
  }
  return undefined;
};

/** Read once a run: what is linted meanwhile counts as it is now. */
let graph;

export const circleRule = {
  meta: { type: "problem", schema: [], messages: { circle: "imports go in a circle: {{way}}" } },
  create(context) {
    const from = posix(relative(context.cwd, context.filename));
    const check = (node) => {
      const source = node.source?.value;
      if (typeof source !== "string" || !source.startsWith(".")) return;
      graph ??= readGraph(context.cwd);
      const way = wayBetween(graph, importedPath(from, source), from);
      if (way !== undefined)
        context.report({ node, messageId: "circle", data: { way: [from, ...way].join(" -> ") } });
    };
    return {
      ImportDeclaration: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
      ImportExpression: check,
    };
  },
};
