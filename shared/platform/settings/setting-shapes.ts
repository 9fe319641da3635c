/** What each setting's value looks like, in words: for the sentence about a wrong one, and for the documentation. */
import { z } from "zod";

export interface SettingShape {
  /** Completes "must be …". */
  readonly shape: string;
  /** Whether the value is never shown. */
  readonly isSecret?: true;
}

/** Each setting's schema is registered here where it is declared. */
export const settingShapes = z.registry<SettingShape>();

/** Where a setting is documented. */
export const documentedAt = (name: string): string => `docs/operating.md#${name.toLowerCase()}`;
