/** Requests as bytes, spoilt where no HTTP client would let them be, sent over bare sockets. */
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { pick, type Chance } from "./values.js";

const junk: readonly string[] = [
  "\r\n",
  "\n",
  "\0",
  "\r\nTransfer-Encoding: chunked\r\n",
  "\r\nTransfer-Encoding: chunked, identity\r\n",
  "\r\nContent-Length: 0\r\n",
  "\r\nContent-Length: -1\r\n",
  "\r\nContent-Length: 99999999999999999999\r\n",
  "\r\nContent-Length: 1, 2\r\n",
  "\r\nHost: a\r\nHost: b\r\n",
  "\r\nHost: [::1\r\n",
  "\r\nExpect: 100-continue\r\n",
  "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n",
  "\r\n\x80\xff: \xfe\r\n",
  "\r\n folded: yes\r\n",
  " HTTP/2.0\r\n",
  " HTTP/9.9\r\n",
  "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  "\x16\x03\x01\x02\x00\x01\x00",
  "FFFFFFFFFFFFFFFF\r\n",
  "5;a=b\r\nabc",
  `\r\nX: ${"y".repeat(40_000)}\r\n`,
  "X: y\r\n".repeat(200),
  "/%",
  "?",
];

/** One to four changes at places of chance. */
export const spoiltBytes = (genuine: readonly Buffer[], chance: Chance): Buffer => {
  let bytes = pick(genuine, chance) ?? Buffer.alloc(0);
  for (let left = 1 + chance(4); left > 0; left--) {
    const at = chance(bytes.length + 1);
    const to = Math.min(bytes.length, at + chance(40));
    const [before, cut, after] = [
      bytes.subarray(0, at),
      bytes.subarray(at, to),
      bytes.subarray(to),
    ];
    const changed = [
      () => [before, after],
      () => [before, cut, cut, after],
      () => [before, Buffer.from(pick(junk, chance) ?? "", "latin1"), cut, after],
      () => [before, Buffer.from([chance(256)]), bytes.subarray(at + 1)],
      () => [before],
      () => [bytes, pick(genuine, chance) ?? bytes],
    ];
    bytes = Buffer.concat((pick(changed, chance) ?? (() => [bytes]))());
  }
  return bytes;
};

const statusLine = /^HTTP\/1\.1 (\d{3}) /;
const lingerMs = 80;
const heardMax = 100_000;

/** What came back within the time in which a request that is none is told so. */
export const exchange = async (port: number, bytes: Buffer, chance: Chance): Promise<string> => {
  const socket = connect(port, "127.0.0.1");
  let heard = "";
  socket.on("error", () => undefined);
  socket.on(
    "data",
    (data: Buffer) => (heard = (heard + data.toString("latin1")).slice(0, heardMax)),
  );
  const closed = once(socket, "close").catch(() => undefined);
  const at = chance(bytes.length + 1);
  socket.write(bytes.subarray(0, at));
  if (chance(2) === 0) await sleep(1);
  socket.write(bytes.subarray(at));
  await Promise.race([closed, sleep(lingerMs)]);
  socket.destroy();
  return heard;
};

/** HTTP's own refusals of what it cannot do, and what is too busy; no other 5xx is an answer. */
const refusals: readonly number[] = [501, 503, 505];

export const rawFaults = (heard: string): string[] => {
  if (heard === "") return [];
  const status = Number(statusLine.exec(heard)?.[1]);
  if (Number.isNaN(status)) return [`no HTTP: ${heard.slice(0, 200)}`];
  return status < 500 || refusals.includes(status) ? [] : [`${status}: ${heard.slice(0, 500)}`];
};
