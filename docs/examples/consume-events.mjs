// Reads a partner's events, each once and in order, and keeps its place through kills: see docs/guide/07-events.md.
import { appendFileSync, readFileSync, truncateSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { ServiceBusClient } from "@azure/service-bus";

const { API, TOKEN_URL, SCOPE, CLIENT_ID, CLIENT_SECRET, AUTH_KEY, PARTNER, BROKER, JOURNAL } =
  process.env;

appendFileSync(JOURNAL, "");
const journal = readFileSync(JOURNAL, "utf8");
const lines = journal.slice(0, journal.lastIndexOf("\n") + 1); // a kill may have cut the last one
truncateSync(JOURNAL, Buffer.byteLength(lines));
let place = lines === "" ? 0 : JSON.parse(lines.trimEnd().split("\n").at(-1)).sequence;

const take = (sequence, name, event) => {
  if (sequence <= place) return; // delivered again, or replayed
  if (sequence > place + 1) console.error(`${place + 1} to ${sequence - 1} are no longer kept`);
  appendFileSync(JOURNAL, `${JSON.stringify({ sequence, name, event })}\n`); // the work and the place at once
  place = sequence;
};

const newToken = async () => {
  const form = { grant_type: "client_credentials", client_id: CLIENT_ID, scope: SCOPE };
  const body = new URLSearchParams({ ...form, client_secret: CLIENT_SECRET });
  return (await (await fetch(TOKEN_URL, { method: "POST", body })).json()).access_token;
};
let token = await newToken().catch(() => "");
const readLog = async () => {
  let after = place;
  for (;;) {
    const headers = { Authorization: `Bearer ${token}`, AuthKey: AUTH_KEY, Partner: PARTNER };
    const url = `${API}/wallet/events?after=${after}&limit=100`;
    const answer = await fetch(url, { headers }).catch((error) => console.error(error.message));
    if (answer?.status === 200) return (await answer.json()).items;
    if (answer?.status === 400) after = 0; // the log begins later by now
    if (answer?.status === 401) token = await newToken().catch(() => "");
    await sleep(1000); // also before the new token is tried: who is refused must not ask without a pause
  }
};
const catchUp = async (through) => {
  while (place < through) {
    const items = await readLog();
    if (items.length === 0) return;
    for (const { sequence, type, body } of items) take(sequence, type, body);
  }
};

await catchUp(Infinity);
const receiver = new ServiceBusClient(BROKER).createReceiver(PARTNER, PARTNER);
const processMessage = async ({ applicationProperties: { sequence }, subject, body }) => {
  if (sequence > place + 1) await catchUp(sequence - 1);
  take(sequence, subject, body);
};
const processError = async ({ error }) => console.error(error.message);
receiver.subscribe({ processMessage, processError }, { maxConcurrentCalls: 1 });
setInterval(() => catchUp(Infinity), 600_000); // what never came by the topic
