/** What the genuine Functions host asks of an app when it indexes it, held against the built app. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { compareNames } from "../../../local/host/http/route.js";
import { RouteTable } from "../../../local/host/http/route-table.js";
import { parseTemplate, type Segment } from "../../../local/host/http/route-template.js";

const Binding = z.looseObject({
  name: z.string(),
  type: z.string(),
  direction: z.string(),
  connection: z.string().optional(),
  dataType: z.string().optional(),
  authLevel: z.string().optional(),
  route: z.string().optional(),
  methods: z.array(z.string()).optional(),
  schedule: z.string().optional(),
  queueName: z.string().optional(),
  topicName: z.string().optional(),
  subscriptionName: z.string().optional(),
});
type Binding = z.output<typeof Binding>;
const Metadata = z.object({ name: z.string(), bindings: z.record(z.string(), Binding) });
type Metadata = z.output<typeof Metadata>;
const Registered = z.object({ functions: z.array(Metadata), duplicates: z.array(z.string()) });
const Sample = z.object({ Values: z.record(z.string(), z.string()) });
const Entity = z.object({ Name: z.string() });
const Topic = Entity.extend({ Subscriptions: z.array(Entity).default([]) });
const Broker = z.object({
  UserConfig: z.object({
    Namespaces: z.array(z.object({ Queues: z.array(Entity), Topics: z.array(Topic) })),
  }),
});

/** Bindings that the extension bundle of host.json brings, by direction. */
const known: Readonly<Record<string, readonly string[]>> = {
  in: [
    "httpTrigger",
    "timerTrigger",
    "serviceBusTrigger",
    "orchestrationTrigger",
    "activityTrigger",
    "entityTrigger",
    "durableClient",
  ],
  out: ["http", "serviceBus"],
};

let functions: readonly Metadata[] = [];
let duplicates: readonly string[] = [];
let settings: Readonly<Record<string, string>> = {};

const json = async (file: string): Promise<unknown> => JSON.parse(await readFile(file, "utf8"));

const filledIn = {
  DATABASE_URL: "postgres://user:password@127.0.0.1:1/borsello",
  ServiceBus: "Endpoint=sb://127.0.0.1:1;SharedAccessKeyName=a;SharedAccessKey=b;",
};

const runOnApp = (script: string) =>
  promisify(execFile)(process.execPath, [`test/support/platform/${script}`], {
    env: { ...process.env, ...settings, ...filledIn },
    maxBuffer: 2 ** 24,
  });

beforeAll(async () => {
  settings = Sample.parse(await json("local.settings.sample.json")).Values;
  const { stdout } = await runOnApp("registered-metadata.mjs");
  ({ functions, duplicates } = Registered.parse(JSON.parse(stdout)));
});

test("a rejection that nobody handles is logged, and does not end the worker", async () => {
  await expect(runOnApp("unhandled-rejection.mjs")).rejects.toMatchObject({
    code: 7,
    stderr: expect.stringContaining("a link that did not close") as unknown,
  });
});

const bindingsOf = ({ bindings }: Metadata): Binding[] => Object.values(bindings);

const triggerOf = (metadata: Metadata): Binding => {
  const [trigger, ...others] = bindingsOf(metadata).filter(({ type }) => type.endsWith("Trigger"));
  if (trigger === undefined || others.length > 0)
    throw new Error(`${metadata.name} has ${others.length + 1} triggers.`);
  return trigger;
};

const triggered = (type: string): [Metadata, Binding][] =>
  functions
    .map((metadata): [Metadata, Binding] => [metadata, triggerOf(metadata)])
    .filter(([, trigger]) => trigger.type === type);

test("names are the host's to take: letters, digits, _ and -, none twice in whatever case", () => {
  expect(functions.length).toBeGreaterThan(50);
  expect(duplicates).toEqual([]);
  for (const { name } of functions) expect(name).toMatch(/^(?!host$)[a-z][a-z0-9_-]{0,126}$/iu);
  const names = functions.map(({ name }) => name.toLowerCase());
  expect(new Set(names).size).toBe(names.length);
});

test("each function has one trigger, and each binding a name, a direction and a type of the bundle", () => {
  for (const metadata of functions) {
    triggerOf(metadata);
    for (const [name, { direction, type, dataType }] of Object.entries(metadata.bindings)) {
      expect(name).toMatch(/^(?:[a-z][a-z0-9]{0,126}|\$return)$/iu);
      expect(known[direction], `${metadata.name}: ${direction}`).toContain(type);
      expect([undefined, "string", "binary", "stream"]).toContain(dataType);
    }
  }
});

test("host.json names the bundle, its versions and the hub", async () => {
  expect(await json("host.json")).toMatchObject({
    version: "2.0",
    extensionBundle: {
      id: "Microsoft.Azure.Functions.ExtensionBundle",
      version: expect.stringMatching(/^\[4\.\*, 5\.0\.0\)$/u) as unknown,
    },
    extensions: {
      durableTask: { hubName: expect.stringMatching(/^[a-z][a-z0-9]{2,44}$/iu) as unknown },
    },
  });
});

test("each connection that a binding names is a setting of the sample", () => {
  for (const { connection } of functions.flatMap(bindingsOf))
    if (connection !== undefined)
      expect(
        Object.keys(settings).some(
          (name) => name === connection || name.startsWith(`${connection}__`),
        ),
      ).toBe(true);
  // Timers and orchestrations keep their own state there.
  expect(settings["AzureWebJobsStorage"]).toBeTruthy();
  expect(settings["FUNCTIONS_WORKER_RUNTIME"]).toBe("node");
});

test("timers have six fields", () => {
  const timers = triggered("timerTrigger");
  expect(timers).not.toEqual([]);
  for (const [, { schedule = "" }] of timers) expect(schedule.split(/\s+/u)).toHaveLength(6);
});

test("queues, topics and subscriptions are those of the broker's configuration", async () => {
  const { UserConfig } = Broker.parse(await json("servicebus.config.json"));
  const [namespace] = UserConfig.Namespaces;
  const places = [
    ...(namespace?.Queues ?? []).map((queue) => queue.Name),
    ...(namespace?.Topics ?? []).flatMap((topic) =>
      topic.Subscriptions.map((subscription) => `${topic.Name}/${subscription.Name}`),
    ),
  ];
  const triggers = triggered("serviceBusTrigger");
  expect(triggers).not.toEqual([]);
  for (const [, { queueName, topicName, subscriptionName }] of triggers)
    expect(places).toContain(queueName ?? `${topicName ?? ""}/${subscriptionName ?? ""}`);
});

describe("HTTP functions", () => {
  const routeOf = ([{ name }, { route }]: [Metadata, Binding]): string => route ?? name;
  const http = (): [Metadata, Binding][] =>
    triggered("httpTrigger").sort(([a], [b]) => compareNames(a.name, b.name));

  test("answer by $return, to methods and at a level that the host knows", () => {
    for (const [{ bindings }, { authLevel, methods = [] }] of http()) {
      expect(bindings["$return"]).toMatchObject({ type: "http", direction: "out" });
      expect(["anonymous", "function", "admin"]).toContain(authLevel);
      expect(methods).not.toEqual([]);
      for (const method of methods) expect(method).toMatch(/^[A-Z]+$/u);
    }
  });

  test("have templates that can be read and that the host does not keep for itself", () => {
    for (const each of http()) {
      expect(() => parseTemplate(routeOf(each))).not.toThrow();
      expect(routeOf(each)).not.toMatch(/^\/?(?:admin|runtime)/iu);
    }
  });

  /** A path that fits the template, and of the others only those that take anything. */
  const samplePath = (segments: readonly Segment[]): string =>
    `/${segments
      .map((segment, index) => (segment.kind === "literal" ? segment.text : `any${index}`))
      .join("/")}`;

  test("are reached, each by a path of its own: the host takes the first by name that fits", () => {
    const entries = http().map((each) => ({
      methods: each[1].methods ?? [],
      template: routeOf(each),
      target: each[0].name,
    }));
    const table = new RouteTable(entries);
    for (const { methods, template, target } of entries)
      for (const method of methods)
        expect(table.find(method, samplePath(parseTemplate(template)))?.target).toBe(target);
  });
});
