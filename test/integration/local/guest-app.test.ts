/** Another function app than ours on the local start: `npm run host -- --app FOLDER`. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runStart } from "../../../bench/platform/launch.js";

const guest = resolve("test/conformance/apps/guest");
let root = "";

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "borsello-guest-"));
  // PostgreSQL's own account has to pass through when this runs as root.
  await rm(root, { recursive: true });
  await mkdir(root, { mode: 0o755 });
});
afterAll(async () => {
  await rm(root, { recursive: true, force: true });
});

const anyPorts = ["--port", "0", "--broker-port", "0"];

/** What the start prints up to the line that says how to stop it. */
const printed = async (started: ReturnType<typeof runStart>): Promise<string> => {
  while (!started.output().includes("Press Ctrl-C") && started.child.exitCode === null)
    await delay(20);
  return started.output();
};

const folderWith = async (name: string, files: Readonly<Record<string, string>>) => {
  const folder = join(root, name);
  await mkdir(folder);
  for (const [file, text] of Object.entries(files)) await writeFile(join(folder, file), text);
  return folder;
};

test("an app gets a database, a broker and a durable engine, and its functions are listed", async () => {
  const guestsOwn = "postgres://nowhere/guests-own";
  const args = [...anyPorts, "--app", guest, "--data", join(root, "data")];
  const started = runStart(args, { DATABASE_URL: guestsOwn });
  const output = await printed(started);
  const [, url = ""] = /^ {2}API +(\S+)$/m.exec(output) ?? [];
  try {
    expect(output).toContain(
      [
        "Functions:",
        "",
        `  arrived: [GET] ${url}/api/arrived`,
        `  database: [GET] ${url}/api/database`,
        `  post: [POST] ${url}/api/post`,
        "  collect: serviceBusTrigger",
        "  greet: orchestrationTrigger",
        "  greeting: activityTrigger",
        "",
        `The app in ${guest} is running.`,
      ].join("\n"),
    );
    expect(output).toMatch(/^ {2}Broker +Endpoint=sb:\/\/127\.0\.0\.1:\d+/m);
    expect(output).toContain(join(root, "data"));

    await fetch(`${url}/api/post`, { method: "POST", body: "Dear guest" });
    await expect
      .poll(async () => (await fetch(`${url}/api/arrived`)).json())
      .toEqual(["Dear guest"]);
    const greet = `${url}/runtime/webhooks/durabletask/orchestrators/greet?code=local-key&timeout=10`;
    expect(await (await fetch(greet, { method: "POST", body: '"Ada"' })).json()).toBe("Hello Ada");
    // The guest's own database is none of ours, and ours is none of the guest's.
    const own = await fetch(`${url}/api/database`);
    expect(await own.text()).toBe(guestsOwn);
  } finally {
    started.child.kill("SIGTERM");
    expect(await started.ended()).toBe(0);
  }
});

describe("an app that cannot be run is refused in one sentence", () => {
  const refusal = async (app: string, ...more: string[]): Promise<string> => {
    const data = join(root, "refused");
    const started = runStart([...anyPorts, "--data", data, "--app", app, ...more]);
    expect(await started.ended()).toBe(1);
    return started.output().replace(`The app in ${app} is starting.\n`, "").trim();
  };

  test("where there is no such folder", async () => {
    const folder = join(root, "nowhere");
    expect(await refusal(folder)).toBe(
      `There is no folder ${folder}: --app names the folder of a built function app.`,
    );
  });

  test("where the folder holds no app", async () => {
    const folder = await folderWith("empty", {});
    expect(await refusal(folder)).toBe(`${folder} is no function app: it has no package.json.`);
  });

  test("where it has no main", async () => {
    const folder = await folderWith("no-main", { "package.json": "{}" });
    expect(await refusal(folder)).toBe(
      `${join(folder, "package.json")} has no "main", so there is no function to load.`,
    );
  });

  test("where its settings' check is no file", async () => {
    const folder = await folderWith("no-check", {
      "package.json": '{"main":"main.js","settingsCheck":5}',
    });
    expect(await refusal(folder)).toBe(
      `${join(folder, "package.json")} has a "settingsCheck" that names no file.`,
    );
  });

  test("where it is not built", async () => {
    const folder = await folderWith("not-built", { "package.json": '{"main":"dist/main.js"}' });
    expect(await refusal(folder)).toBe(
      `There is no ${join(folder, "dist/main.js")}, the "main" of ${join(folder, "package.json")}: is it built?`,
    );
  });

  test("in production, where its keys are those that everybody knows", async () => {
    const production = ["--set", "PLATFORM_ENVIRONMENT=production"];
    const said = await refusal(guest, ...production);
    expect(said).toContain(
      "set LOCAL_FUNCTION_KEY, LOCAL_MASTER_KEY, LOCAL_DURABLE_KEY, LOCAL_BROKER_KEY to random texts",
    );
    expect(said.split("\n")).toHaveLength(1);
    const one = [
      "--set",
      `LOCAL_MASTER_KEY=${"k".repeat(31)}`,
      "--set",
      `LOCAL_DURABLE_KEY=${"k".repeat(32)}`,
    ];
    expect(await refusal(guest, ...production, ...one)).toContain(
      "set LOCAL_FUNCTION_KEY, LOCAL_MASTER_KEY, LOCAL_BROKER_KEY to random texts",
    );
  });

  test("where a setting has no name", async () => {
    expect(await refusal(guest, "--set", "=1")).toBe('--set must look like NAME=VALUE, not "=1".');
  });
});
