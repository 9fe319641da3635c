/** The lint rules of our own find what they are for. */
import { ESLint } from "eslint";
import tseslint from "typescript-eslint";
import { expect, test } from "vitest";

const complaintsOf = async (filePath: string, text: string): Promise<string[]> => {
  const eslint = new ESLint({ overrideConfig: tseslint.configs.disableTypeChecked });
  const [result] = await eslint.lintText(text, { filePath });
  const own = result?.messages.filter(({ ruleId }) => ruleId?.startsWith("borsello/") === true);
  return own?.map(({ message }) => message) ?? [];
};

test("a file that imports itself by way of others is refused, types included", async () => {
  // date-range.ts imports outcome.ts.
  const planted = 'import type { DateRange } from "./date-range.js";';
  expect(await complaintsOf("shared/domain/outcome.ts", planted)).toEqual([
    "imports go in a circle: shared/domain/outcome.ts -> shared/domain/date-range.ts -> shared/domain/outcome.ts",
  ]);
});

test("an import against the arrows is refused, one along them is not", async () => {
  const file = "shared/domain/ledger/planted.ts";
  const [complaint] = await complaintsOf(file, 'import "../../database/platform/database.js";');
  expect(complaint).toContain("may not import");
  expect(await complaintsOf(file, 'import "./posting.js";')).toEqual([]);
});
