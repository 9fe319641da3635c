/** docs/operating.md lists every setting that something reads, with the value and the default that it has. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  appSettingWords,
  partnerSettingWords,
  type SettingWords,
} from "../../support/documentation/setting-words.js";

interface Row extends SettingWords {
  readonly anchor: string | undefined;
  readonly about: string;
}

const rows = (await readFile("docs/operating.md", "utf8")).split("\n").flatMap((line): Row[] => {
  const [, first = "", shape = "", byDefault = "", about = ""] = line
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());
  const { anchor, name } =
    /^(?:<a id="(?<anchor>.*)"><\/a>)?`(?<name>[^`]+)`$/.exec(first)?.groups ?? {};
  return name === undefined
    ? []
    : [{ name, anchor, shape, byDefault: byDefault.replaceAll("`", ""), about }];
});
/** Whatever a table's first column names, several in a row or one. */
const listed = new Set(
  (await readFile("docs/operating.md", "utf8"))
    .split("\n")
    .flatMap((line) => /^\|(.*?)(?<!\\)\|/.exec(line)?.[1]?.match(/(?<=`)\w+(?=`)/g) ?? []),
);
const rowOf = (name: string): Row | undefined => rows.find((row) => row.name === name);

test.each(appSettingWords())("the setting $name", ({ name, shape, byDefault }) => {
  const row = rowOf(name);
  expect(row).toMatchObject({ anchor: name.toLowerCase(), shape, byDefault });
  expect(shape).not.toBe("");
  expect(row?.about).not.toBe("");
});

test.each(partnerSettingWords())("the partner's setting $name", ({ name, shape, byDefault }) => {
  const row = rowOf(name);
  expect(row).toMatchObject({ shape, byDefault });
  expect(row?.about).not.toBe("");
});

/** Read by name, not by the schema: by hosts, by commands. */
const readElsewhere = async (): Promise<string[]> => {
  const files = await Promise.all(
    ["local", "tools", "functions", "shared"].map(async (room) =>
      (await readdir(room, { recursive: true }))
        .filter((file) => file.endsWith(".ts"))
        .map((file) => readFile(join(room, file), "utf8")),
    ),
  );
  const texts = await Promise.all(files.flat());
  const named =
    /\b(?:settings|environment|process\.env)\["(\w+)"\]|\b(LOCAL_\w+): "|"((?:OTEL|APPLICATIONINSIGHTS)_\w+)"/g;
  return texts.flatMap((text) => [...text.matchAll(named)].map(([, ...found]) => found.join("")));
};

test("what is read by its name alone is listed, too", async () => {
  // Not settings, but what a machine's own environment tells.
  const own = ["NO_PROXY", "npm_lifecycle_event"];
  const names = [...new Set(await readElsewhere())].filter((name) => !own.includes(name));
  expect(names).toEqual(expect.arrayContaining(["LOCAL_BROKER_KEY", "OTEL_SDK_DISABLED"]));
  expect(names.filter((name) => !listed.has(name))).toEqual([]);
});
