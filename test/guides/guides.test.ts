/** Each guide's commands and bodies, run word by word as docs/guide/README.md says, on one platform. */
import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { stepsOf } from "../../bench/guides/blocks.js";
import { readerEnvironment } from "../../bench/guides/environment.js";
import { followGuide } from "../../bench/guides/follow.js";
import { startTestStack, type TestStack } from "../support/platform/stack.js";

const folder = "docs/guide";
const files = (await readdir(folder)).filter((file) => /^\d\d-.*\.md$/.test(file)).sort();

const missingTool = ["bash", "curl"].find((tool) => spawnSync(tool, ["--version"]).status !== 0);

let stack: TestStack;
let places: string;

beforeAll(async () => {
  [stack, places] = await Promise.all([
    startTestStack(),
    mkdtemp(join(tmpdir(), "borsello-guides-")),
  ]);
});

afterAll(async () => {
  await stack.stop();
  await rm(places, { recursive: true, force: true });
});

const brokerOf = ({ brokerConnectionString }: TestStack): string =>
  /Endpoint=sb:\/\/([^;/]+)/.exec(brokerConnectionString)?.[1] ?? "";

test("the list of guides shows all of them, and each is a page", async () => {
  const list = await (await fetch(`${stack.url}/docs/guide`)).text();
  for (const file of files) {
    const path = `/docs/guide/${file.slice("00-".length, -".md".length)}`;
    expect(list).toContain(`href="${path}"`);
    expect([path, (await fetch(stack.url + path)).status]).toEqual([path, 200]);
  }
  expect((await fetch(`${stack.url}/docs/guide/no-such-guide`)).status).toBe(404);
});

/** Without what browsers follow by themselves, and what leads out of the platform. */
const linksIn = (html: string, path: string): string[] =>
  Array.from(html.matchAll(/<a [^>]*href="([^"]+)"/g), ([, target = ""]) => target)
    .filter((target) => !target.startsWith("https:"))
    .map((target) => (target.startsWith("#") ? path + target : target));

test("no link on home, guides and events leads nowhere, nor past the part that it names", async () => {
  const names = files.map((file) => file.slice("00-".length, -".md".length));
  const pages = [
    "/docs",
    "/docs/guide",
    "/docs/events",
    ...names.map((name) => `/docs/guide/${name}`),
  ];
  const read = new Map<string, Promise<string>>();
  const textOf = (path: string): Promise<string> => {
    const text =
      read.get(path) ?? fetch(stack.url + path).then((answer) => (answer.ok ? answer.text() : ""));
    read.set(path, text);
    return text;
  };
  const targets = new Set<string>();
  for (const path of pages)
    for (const target of linksIn(await textOf(path), path)) targets.add(target);
  const isServed = async (target: string): Promise<boolean> => {
    const [path = "", part] = target.split("#");
    // An operation has a page where its API's overview leads to one.
    const [, overview] = /^(\/docs\/reference\/\w+)\/\w+$/.exec(path) ?? [];
    if (overview !== undefined) return (await textOf(overview)).includes(`href="${path}"`);
    const text = await textOf(path);
    return text !== "" && (part === undefined || text.includes(`id="${part}"`));
  };
  const broken: string[] = [];
  for (const target of targets) if (!(await isServed(target))) broken.push(target);
  expect(targets.size).toBeGreaterThan(100);
  expect(broken).toEqual([]);
});

test("what a guide names of the reference and of the events is there", async () => {
  for (const file of files) {
    const text = await readFile(join(folder, file), "utf8");
    const page = await (
      await fetch(`${stack.url}/docs/guide/${file.slice("00-".length, -".md".length)}`)
    ).text();
    for (const [, name = ""] of text.matchAll(/\]\((?:reference|event):(\w+)\)/g))
      expect(page, `${file} names ${name}`).toMatch(
        new RegExp(`href="/docs/(reference/\\w+/|events#)${name}"`),
      );
  }
});

// Getting started is followed from its first command on, by the stopwatch.
test.for(files.filter((file) => !file.startsWith("01-")))(
  "%s does what it says",
  async (file, { skip }) => {
    skip(missingTool !== undefined, `needs ${missingTool}`);
    const steps = stepsOf(await readFile(join(folder, file), "utf8"));
    expect(
      steps.filter(({ block }) => block.kind === "run" && block.prints !== undefined),
    ).not.toEqual([]);
    const reader = await mkdtemp(join(places, "reader-"));
    await followGuide(steps, {
      folder: reader,
      url: stack.url,
      broker: brokerOf(stack),
      environment: await readerEnvironment(reader, { modules: resolve("node_modules") }),
    });
  },
);
