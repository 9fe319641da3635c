/** A database whose migrations take long: the app is up meanwhile, as Azure's host asks of it. */
import { expect, test, vi } from "vitest";
import { launchPlatform } from "../../../bench/platform/launch.js";
import { connect } from "../../support/database/connections.js";
import { createDatabase } from "../../support/database/database.js";

/** The lock of `migrate`: another instance of the app is at it. */
const migrationLock = 7_364_112;

test("an app starts while another instance migrates, and serves once that is done", async () => {
  const created = await createDatabase();
  const other = await connect(created.url);
  await other.query("select pg_advisory_lock($1)", [migrationLock]);
  const options = ["--port", "0", "--broker-port", "0", "--database-url", created.url];
  const [started, { url }] = await launchPlatform(options);
  const { rows } = await other.query("select to_regclass('borsello.wallet') as wallet");
  expect(rows).toEqual([{ wallet: null }]);
  await other.end();
  await vi.waitFor(async () => expect((await fetch(`${url}/health`)).status).toBe(200), {
    timeout: 60_000,
    interval: 100,
  });
  started.child.kill("SIGTERM");
  expect(await started.ended()).toBe(0);
  await created.drop();
});
