/** Settings by their paths, such as limits.maximumCents. */
import { isObject } from "../../shared/contracts/platform/given-settings.js";

export type Settings = Readonly<Record<string, unknown>>;

/** The settings with one more, or another one; undefined takes it away. */
export const withSetting = (settings: Settings, path: string, value: unknown): Settings => {
  const [name = "", ...rest] = path.split(".");
  const inner = settings[name];
  const within =
    rest.length === 0 ? value : withSetting(isObject(inner) ? inner : {}, rest.join("."), value);
  const others = Object.fromEntries(Object.entries(settings).filter(([other]) => other !== name));
  const isNothing = within === undefined || (isObject(within) && Object.keys(within).length === 0);
  return isNothing ? others : { ...others, [name]: within };
};

export const settingAt = (settings: unknown, path: string): unknown =>
  path
    .split(".")
    .reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), settings);
