/** Where the guides lead in an environment that does not serve all that they speak of. */
import { expect, test } from "vitest";
import { readGuides } from "../../../functions/docs/guide-files.js";

test("of an API that is not served a guide has the name, and no link", async () => {
  const links = async (served: readonly string[]): Promise<readonly string[]> => {
    const guides = await readGuides((kind, name) =>
      kind === "api" && served.includes(name) ? `/docs/reference/${name}` : undefined,
    );
    return guides.flatMap(({ body }) => body.html.match(/href="\/docs\/reference\/\w+/g) ?? []);
  };
  expect(await links(["sandbox"])).toContain('href="/docs/reference/sandbox');
  expect(await links([])).toEqual([]);
});
