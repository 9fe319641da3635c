/** What an environment outside production finds in its database, and production does not. */
import type { Queryable } from "../platform/database.js";
import { seedSandboxPartners } from "./partners.js";
import { allowForceDelete } from "./force-delete.js";

export const prepareSandbox = async (queryable: Queryable): Promise<void> => {
  await seedSandboxPartners(queryable);
  await allowForceDelete(queryable);
};
