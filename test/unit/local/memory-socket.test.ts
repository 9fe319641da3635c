/** A pair of sockets in memory behaves as one of the kernel's does, as far as a protocol can tell. */
import { once } from "node:events";
import { setImmediate as nextTurn } from "node:timers/promises";
import { buffer } from "node:stream/consumers";
import { expect, test } from "vitest";
import { MemorySocket } from "../../../local/in-process-sockets.js";

const piece = Buffer.alloc(64 * 1024, "x");

test("bytes arrive in their order, both ways, and the end after them", async () => {
  const [mine, theirs] = MemorySocket.pair();
  for (const text of ["one ", "two ", "three"]) mine.write(text);
  mine.end();
  theirs.end("back");
  expect((await buffer(theirs)).toString()).toBe("one two three");
  expect((await buffer(mine)).toString()).toBe("back");
});

test("a write calls nobody before it returns", async () => {
  const [mine, theirs] = MemorySocket.pair();
  const heard: string[] = [];
  theirs.on("data", (bytes: Buffer) => heard.push(bytes.toString()));
  mine.write("a");
  await Promise.resolve();
  mine.write("b");
  expect(heard).toEqual([]);
  await once(theirs, "data");
  expect(heard).toEqual(["ab"]);
});

test("who does not read holds the writer up, and lets it go on when it reads", async () => {
  const [mine, theirs] = MemorySocket.pair();
  let written = 0;
  for (let n = 0; n < 100; n += 1) mine.write(piece, () => (written += 1));
  for (let n = 0; n < 20; n += 1) await nextTurn();
  expect(written).toBeLessThan(5);
  let read = 0;
  theirs.on("data", (bytes: Buffer) => (read += bytes.length));
  mine.end();
  await once(theirs, "end");
  expect([read, written]).toEqual([100 * piece.length, 100]);
});

test("who is destroyed ends the other one", async () => {
  const [mine, theirs] = MemorySocket.pair();
  theirs.resume();
  mine.destroy();
  await once(theirs, "close");
  expect(theirs.readableEnded).toBe(true);
  expect(() => theirs.write("nobody hears")).not.toThrow();
  theirs.on("error", () => undefined);
});

test("a writer who waits for a reader closes with him", async () => {
  for (const isHeldUp of [false, true]) {
    const [mine, theirs] = MemorySocket.pair();
    theirs.resume();
    if (isHeldUp) theirs.pause();
    for (let n = 0; n < 100; n += 1) theirs.write(piece);
    await nextTurn();
    await nextTurn();
    mine.destroy();
    for (let n = 0; n < 1_000 && theirs.writableLength > 0; n += 1) await nextTurn();
    expect(theirs.writableLength).toBe(0);
    const closed = once(theirs, "close");
    theirs.resume();
    await closed;
  }
});
