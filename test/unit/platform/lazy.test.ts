/** Something made when it is first asked for. */
import { expect, test, vi } from "vitest";
import { lazy } from "../../../shared/platform/lazy.js";

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
