/** Something made when it is first asked for. */
import { expect, test, vi } from "vitest";
import { lazy, lazyBy } from "../../../shared/platform/lazy.js";

test("it is made once, for all who ask at the same time and later", async () => {
  const make = vi.fn(async () => ({ made: true }));
  const get = lazy(make);
  expect(make).not.toHaveBeenCalled();
  const [one, other] = await Promise.all([get(), get()]);
  expect(one).toBe(other);
  expect(await get()).toBe(one);
  expect(make).toHaveBeenCalledTimes(1);
});

test("who asks while the making fails sees the error; the next one has it made anew", async () => {
  const make = vi
    .fn<() => Promise<string>>()
    .mockRejectedValueOnce(new Error("too many open files"))
    .mockResolvedValue("bytes");
  const get = lazy(make);
  const both = await Promise.allSettled([get(), get()]);
  expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(await get()).toBe("bytes");
  expect(make).toHaveBeenCalledTimes(2);
});

test("each key has its own, and a failure of one is forgotten", async () => {
  const make = vi
    .fn(async (key: string) => `page ${key}`)
    .mockRejectedValueOnce(new Error("too many open files"));
  const get = lazyBy(make);
  await expect(get("a")).rejects.toThrow("too many open files");
  expect([await get("a"), await get("b"), await get("a")]).toEqual(["page a", "page b", "page a"]);
  expect(make).toHaveBeenCalledTimes(3);
});
