/** Shows or changes what is set for a partner: by path, or all of it from a file. */
import { partnerSettings } from "../../shared/contracts/platform/partner-settings.js";
import { isObject, type SettingChange } from "../../shared/contracts/platform/given-settings.js";
import { findRecord } from "../../shared/database/partners/records.js";
import { editSettings, type StoredSettings } from "../../shared/database/partners/settings.js";
import {
  refused,
  textOf,
  UsageError,
  type Command,
  type Given,
  type Report,
} from "../kit/command-line.js";
import { partnerOf, textsOf, type Tools } from "./command.js";
import { readJson } from "./read-json.js";
import { settingAt, withSetting, type Settings } from "./setting-paths.js";

const options = {
  set: { type: "string", multiple: true },
  unset: { type: "string", multiple: true },
  file: { type: "string" },
  "dry-run": { type: "boolean" },
} as const;

/** What is no JSON is a text: most values need no quotes then. */
const valueOf = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
};

const pathPattern = /^\w+(\.\w+)*$/;

const pathOf = (text: string): string => {
  if (pathPattern.test(text)) return text;
  throw new UsageError(`"${text}" is no path of a setting: limits.maximumCents is one.`);
};

type Edit = (before: StoredSettings) => unknown;

const editOf = async (given: Given): Promise<Edit | undefined> => {
  const file = textOf(given, "file");
  const whole = file === undefined ? undefined : await readJson(file);
  if (whole !== undefined && !isObject(whole))
    throw new UsageError("The settings must be a JSON object.");
  const changes = [
    ...textsOf(given, "unset").map((path): [string, unknown] => [pathOf(path), undefined]),
    ...textsOf(given, "set").map((pair): [string, unknown] => {
      const at = pair.indexOf("=");
      if (at < 1) throw new UsageError(`--set must look like PATH=VALUE, not "${pair}".`);
      return [pathOf(pair.slice(0, at)), valueOf(pair.slice(at + 1))];
    }),
  ];
  if (whole === undefined && changes.length === 0) return undefined;
  return (before) => {
    const template = settingAt(before, "contract.template");
    // A file that says nothing of the contract's form leaves it: another command sets that.
    const start =
      whole === undefined || settingAt(whole, "contract.template") !== undefined
        ? (whole ?? before)
        : withSetting(whole, "contract.template", template);
    return changes.reduce<Settings>((all, [path, value]) => withSetting(all, path, value), start);
  };
};

const shown = (value: unknown): string => JSON.stringify(value);

/** What holds on either side, defaults included. */
const changeLine = (defaults: unknown, { path, before, after }: SettingChange): string => {
  const side = (value: unknown): string => {
    if (value !== undefined) return shown(value);
    const byDefault = settingAt(defaults, path);
    return byDefault === undefined ? "not set" : `${shown(byDefault)} (the default)`;
  };
  return `  ${path}: ${side(before)} → ${side(after)}`;
};

const showSettings = async (partnerKey: string, { database }: Tools): Promise<Report> => {
  const record = await findRecord(database, partnerKey);
  if (record === undefined) return refused([`There is no partner ${partnerKey}.`]);
  const given = record.settings;
  return {
    done: true,
    value: { partnerKey, given, effective: partnerSettings.parse(given) },
    lines: [
      `Set for ${partnerKey}; everything else has its default (--json shows all that holds):`,
      JSON.stringify(given, null, 2),
    ],
  };
};

const settings = async (given: Given, tools: Tools): Promise<Report> => {
  const partnerKey = partnerOf(given);
  const edit = await editOf(given);
  if (edit === undefined) return showSettings(partnerKey, tools);
  const isDryRun = given.values["dry-run"] === true;
  const edited = await editSettings(tools.database, partnerKey, edit, { isDryRun });
  const { faults, changes, misdirected } = edited;
  if (faults.length > 0) return refused(faults);
  const defaults: unknown = partnerSettings.parse({});
  const heading = isDryRun ? "would change" : "changed, and hold within seconds";
  return {
    done: true,
    value: { partnerKey, isDryRun, changes, misdirected },
    lines:
      changes.length === 0
        ? [`The settings of ${partnerKey} are like that already.`]
        : [
            `Settings of ${partnerKey} that ${heading}:`,
            ...changes.map((change) => changeLine(defaults, change)),
            ...(misdirected === 0
              ? []
              : [
                  `${misdirected} customers were told the account of before: what they pay there is nobody's, ` +
                    "and waits for the operators.",
                ]),
          ],
  };
};

export const settingsCommand: Command<Tools> = {
  name: "settings",
  usage: "NAME [--set PATH=VALUE]… [--unset PATH]… [--file FILE] [--dry-run]",
  summary: "shows settings, or changes them; every change leaves an audit row",
  options,
  help: [
    "--set PATH=VALUE     such as limits.maximumCents=50000 or creditor=null; the value is JSON, else a text",
    "--unset PATH         the default holds again",
    "--file FILE          these settings, as JSON, instead of all that are there",
    "--dry-run            only says what would change",
  ],
  run: settings,
};
