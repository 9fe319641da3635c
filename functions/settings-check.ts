/** What is wrong with the settings, all at once: for a host that asks before it starts anything (`settingsCheck`). */
import { readConfig } from "../shared/platform/config.js";

const checkSettings = (settings: Readonly<Record<string, string | undefined>>): void => {
  readConfig(settings);
};

export default checkSettings;
