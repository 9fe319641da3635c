/** Reads settings by their schemas: all that is wrong is said at once, with what to set and where it is documented. */
import type { z } from "zod";
import { misspelt } from "./misspelt-settings.js";
import { documentedAt, settingShapes } from "./setting-shapes.js";
import { settingsSchema, type Settings } from "./settings-schema.js";

export type Environment = Readonly<Record<string, string | undefined>>;

export interface SettingFault {
  /** The settings that it is about; it is documented at the first. */
  readonly names: readonly string[];
  readonly sentence: string;
}

/** A start with wrong settings: a line for each of them, which says what to set and where it is documented. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";
  readonly faults: readonly SettingFault[];

  constructor(faults: readonly SettingFault[], ...hints: readonly string[]) {
    const lines = faults.map(
      ({ names: [first = ""], sentence }) => `${sentence} See ${documentedAt(first)}.`,
    );
    super([...lines, ...hints].join("\n"));
    this.faults = faults;
  }
}

/** One that is due to these settings together. */
export const wrong = (names: readonly (keyof Settings)[], sentence: string): SettingsError =>
  new SettingsError([{ names, sentence }]);

/** Names that look like a setting's and are read by nobody, a sentence each. */
export const misspeltSettings = (environment: Environment): string[] =>
  misspelt(environment, Object.keys(settingsSchema.shape));

const charactersShown = 60;

/** What was set, unless it may be a secret. */
const shown = (value: string, isSecret: boolean): string =>
  isSecret || value.length > charactersShown ? "" : `, not "${value}"`;

const sentence = (name: string, schema: z.core.$ZodType, value: string | undefined): string => {
  const { shape = "set", isSecret = false } = settingShapes.get(schema) ?? {};
  const fault =
    value === undefined
      ? `is missing: it must be ${shape}`
      : `must be ${shape}${shown(value, isSecret)}`;
  return `The setting ${name} ${fault}.`;
};

/** Empty settings count as absent, as the portal stores them. */
const presentOf = (environment: Environment): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value === undefined || value === "" ? [] : [[name, value]],
    ),
  );

export const readSettings = <Shape extends z.core.$ZodShape>(
  schema: z.ZodObject<Shape>,
  environment: Environment,
): z.output<z.ZodObject<Shape>> => {
  const present = presentOf(environment);
  const parsed = schema.safeParse(present);
  if (parsed.success) return parsed.data;
  const names = new Set(parsed.error.issues.map(({ path }) => String(path[0])));
  throw new SettingsError(
    Object.entries(schema.shape).flatMap(([name, one]) =>
      names.has(name) ? [{ names: [name], sentence: sentence(name, one, present[name]) }] : [],
    ),
    ...misspeltSettings(environment),
  );
};

const shapes: Readonly<Record<string, z.ZodType>> = settingsSchema.shape;

/** Those that are right by themselves: what else is missing can be said beside the wrong ones. */
export const soundSettings = (environment: Environment): Settings => {
  const sound = Object.entries(presentOf(environment)).filter(
    ([name, value]) => shapes[name]?.safeParse(value).success === true,
  );
  return settingsSchema.parse({
    PLATFORM_ENVIRONMENT: "development",
    ...Object.fromEntries(sound),
  });
};

/** Reads part after part, so that all that is wrong is said at once, and of no setting twice. */
export const collecting = () => {
  const faults: SettingFault[] = [];
  const isNew = ({ names }: SettingFault): boolean =>
    !faults.some((known) => known.names.some((name) => names.includes(name)));
  const read = <Part>(part: () => Part): Part | undefined => {
    try {
      return part();
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      faults.push(...error.faults.filter(isNew));
      return undefined;
    }
  };
  return { faults, read };
};
