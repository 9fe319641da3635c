// Lint rules: type-aware TypeScript rules, the folders' import rule, no circles, and determinism of flows.
import tseslint from "typescript-eslint";
import { circleRule } from "./scripts/import-circles.mjs";
import { importRule } from "./scripts/import-rule.mjs";

const nondeterministic = [
  ["AwaitExpression", "a flow waits with yield*, never with await"],
  [":function[async=true]", "a flow is a generator, never async"],
  ["YieldExpression[delegate=false]", "a flow yields only through the kit: yield* step(...)"],
  ["NewExpression[callee.name='Date'][arguments.length=0]", "take the time from the flow context"],
  [
    "MemberExpression[object.name='Date'][property.name='now']",
    "take the time from the flow context",
  ],
  ["MemberExpression[object.name='Math'][property.name='random']", "a flow draws no lots"],
  ["NewExpression[callee.name='Promise']", "a flow makes no promises of its own"],
  ["ImportExpression", "a flow loads nothing while it runs"],
].map(([selector, message]) => ({ selector, message }));

export default tseslint.config(
  {
    ignores: [
      "dist*/",
      "client/dist/",
      "node_modules/",
      "bench/results/",
      "test/conformance/apps/",
      "test/client/typed/",
    ],
  },
  {
    files: ["**/*.ts"],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    plugins: { borsello: { rules: { imports: importRule, circles: circleRule } } },
    rules: {
      "borsello/imports": "error",
      "borsello/circles": "error",
      "@typescript-eslint/no-explicit-any": "error",
      "@typescript-eslint/switch-exhaustiveness-check": "error",
      "@typescript-eslint/strict-boolean-expressions": ["error", { allowNullableBoolean: false }],
      "@typescript-eslint/restrict-template-expressions": [
        "error",
        { allowNumber: true, allowBoolean: true },
      ],
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
      "@typescript-eslint/consistent-type-definitions": ["error", "interface"],
      "@typescript-eslint/no-non-null-assertion": "error",
      "@typescript-eslint/dot-notation": ["error", { allowIndexSignaturePropertyAccess: true }],
      "@typescript-eslint/require-await": "off",
      // There are no enums, `erasableSyntaxOnly` sees to it: the search for some in each assignment found none.
      "@typescript-eslint/no-unsafe-enum-assignment": "off",
      "no-console": "error",
      "no-restricted-properties": [
        "error",
        {
          object: "process",
          property: "env",
          message: "settings are read once, in config or at an entry point",
        },
      ],
    },
  },
  {
    // The places that read the environment or talk to a person at a terminal.
    files: [
      "functions/main.ts",
      "local/**/*.ts",
      "tools/**/*.ts",
      "bench/**/*.ts",
      "test/**/*.ts",
      "vitest*.config.ts",
    ],
    rules: { "no-console": "off", "no-restricted-properties": "off" },
  },
  {
    // An error event that nobody hears ends a run in which every test has passed.
    files: ["test/**/*.ts"],
    ignores: ["test/support/database/connections.ts"],
    rules: {
      "@typescript-eslint/no-restricted-imports": [
        "error",
        {
          paths: ["default", "Pool", "Client"].map((importName) => ({
            name: "pg",
            importNames: [importName],
            allowTypeImports: true,
            message: "connections of tests come from test/support/database/connections.ts",
          })),
        },
      ],
    },
  },
  {
    files: ["**/*.flow.ts"],
    rules: {
      "no-restricted-syntax": ["error", ...nondeterministic],
      "no-restricted-imports": [
        "error",
        {
          patterns: [
            {
              regex: "^(?!\\.|zod$)",
              message: "a flow knows the kit, contracts and domain, no library but zod",
            },
          ],
        },
      ],
      "no-restricted-globals": [
        "error",
        "process",
        "setTimeout",
        "setInterval",
        "fetch",
        "crypto",
        "performance",
      ],
    },
  },
  {
    files: ["**/*.mjs", "**/*.js"],
    extends: [tseslint.configs.disableTypeChecked],
  },
);
