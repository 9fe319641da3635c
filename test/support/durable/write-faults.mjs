// Preloaded into a host (node --import): ends its process, as kill -9 would, at its n-th durable write.
// WRITE_FAULT=before:N   the statement is never sent
// WRITE_FAULT=sent:N     the server has done it, the answer is not read
// WRITE_FAULT=answered:N the answer has arrived, nothing has been made of it
import pg from "pg";

const [moment, place] = (process.env.WRITE_FAULT ?? "").split(":");
const fatalWrite = Number(place);
const query = pg.Client.prototype.query;
let writes = 0;

const die = () => process.kill(process.pid, "SIGKILL");

const isDurableWrite = (text = "") =>
  /^\s*(?:with|insert|update|delete)\b/i.test(text) && text.includes("durable.");

/** This thread sleeps, so that nothing is read meanwhile. */
const letServerWork = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 40);

pg.Client.prototype.query = function (...args) {
  const text = typeof args[0] === "string" ? args[0] : args[0]?.text;
  if (!isDurableWrite(text) || ++writes !== fatalWrite) return query.apply(this, args);
  if (moment === "before") die();
  const callback = args.at(-1);
  if (moment === "answered" && typeof callback === "function") args[args.length - 1] = die;
  const answer = query.apply(this, args);
  if (moment === "sent") {
    letServerWork();
    die();
  }
  if (typeof callback !== "function") answer.then(die, die);
  return answer;
};
