/** Identifiers of ours as callers send them back. */
import { z } from "zod";

/**
 * Any UUID's shape, whatever its version and variant say: one that nobody gave out, such as
 * 11111111-1111-1111-1111-111111111111, is not malformed but unknown.
 * Upper-case letters are taken, and answered as they are kept: in lower case.
 */
export const Identifier = z.guid().toLowerCase();
