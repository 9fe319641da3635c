// Builds dist/: every TypeScript file becomes one JavaScript file, assets are copied beside them.
// The build only strips types (`isolatedModules`, `erasableSyntaxOnly`), so it takes well under a
// second; `npm run typecheck` is what judges them. `--out DIR` builds elsewhere in the checkout.
import { cp, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { build } from "esbuild";

const { values } = parseArgs({ options: { out: { type: "string", default: "dist" } } });
const roots = ["functions", "orchestrations", "shared", "local", "bench"];
const sourceFile = /(?<!\.d)\.ts$/;
const assetFile = /\.(sql|json|html|css|pdf|ttf)$/;

const files = (
  await Promise.all(
    roots.map(async (root) =>
      (await readdir(root, { recursive: true }).catch(() => [])).map((name) => join(root, name)),
    ),
  )
)
  .flat()
  .filter((file) => !file.includes("node_modules") && !file.startsWith(join("bench", "results")));

await rm(values.out, { recursive: true, force: true });
await build({
  entryPoints: files.filter((file) => sourceFile.test(file)),
  outdir: values.out,
  outbase: ".",
  platform: "node",
  target: "node20",
  format: "esm",
  sourcemap: "linked",
  sourcesContent: false,
  logLevel: "warning",
});
await Promise.all(
  files
    .filter((file) => assetFile.test(file))
    .map((file) => cp(file, join(values.out, file), { recursive: true })),
);
