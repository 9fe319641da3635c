// Builds dist/: every TypeScript file becomes one JavaScript file, assets are copied beside them, and
// the two programs that start often, the app and the local host, are each made one again: five hundred
// small files take longer to open than all that they do at a start. So is each script of the documentation's pages.
// The build only strips types (`isolatedModules`, `erasableSyntaxOnly`); `npm run typecheck` is what
// judges them. `--out DIR` builds elsewhere in the checkout.
import { cp, readdir, readFile, rm } from "node:fs/promises";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { build } from "esbuild";

const { values } = parseArgs({ options: { out: { type: "string", default: "dist" } } });
const roots = ["functions", "orchestrations", "shared", "local", "tools", "bench", "client"];
const sourceFile = /(?<!\.d)\.ts$/;
const assetFile = /(?<!tsconfig)\.(sql|json|html|css|m?js|svg|pdf|ttf)$/;

const files = (
  await Promise.all(
    roots.map(async (root) =>
      (await readdir(root, { recursive: true }).catch(() => [])).map((name) => join(root, name)),
    ),
  )
)
  .flat()
  .filter(
    (file) =>
      !file.includes("node_modules") &&
      !file.startsWith(join("bench", "results")) &&
      !file.startsWith(join("client", "dist")),
  );

const settings = {
  outdir: values.out,
  outbase: ".",
  platform: "node",
  target: "node20",
  format: "esm",
  sourcemap: "linked",
  sourcesContent: false,
  logLevel: "warning",
};

const pageScript = /^functions\/docs\/browser\/[^/]+\.ts$/;
const programs = ["functions/main.ts", "functions/settings-check.ts", "local/start.ts"];

/** Plain modules of a hundred files each. All other packages stay as they are: the host looks into some. */
const joinedPackages = ["jose", "libphonenumber-js", "zod"];
const { dependencies, devDependencies } = JSON.parse(await readFile("package.json", "utf8"));
const packages = Object.keys({ ...dependencies, ...devDependencies });

/** What a module finds beside itself lies where it lay: each output is one folder below dist/. */
const ownPlaces = {
  name: "own-places",
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, "utf8");
      const place = relative(".", path).replaceAll("\\", "/").replace(sourceFile, ".js");
      const contents = text.replaceAll(
        "import.meta.url",
        `new URL("../${place}", import.meta.url).href`,
      );
      return { contents, loader: "ts" };
    }),
};

await rm(values.out, { recursive: true, force: true });
await build({
  ...settings,
  entryPoints: files.filter((file) => sourceFile.test(file) && !programs.includes(file)),
});
await build({
  ...settings,
  entryPoints: programs,
  bundle: true,
  splitting: true,
  chunkNames: "chunks/[name]-[hash]",
  external: packages.filter((name) => !joinedPackages.includes(name)),
  plugins: [ownPlaces],
});
// What the documentation's pages load: one script each, beside their styles.
await build({
  entryPoints: files.filter((file) => pageScript.test(file.replaceAll("\\", "/"))),
  outdir: join(values.out, "functions", "docs", "assets"),
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  logLevel: "warning",
});
await Promise.all(
  files
    .filter((file) => assetFile.test(file))
    .map((file) => cp(file, join(values.out, file), { recursive: true })),
);
// The guides are served by the app.
await cp(join("docs", "guide"), join(values.out, "docs", "guide"), { recursive: true });
