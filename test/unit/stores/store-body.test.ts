/** What a store's body may hold (wallet seed, 2.8), field by field. */
import { describe, expect, test } from "vitest";
import { CreateStoreBody, UpdateStoreBody } from "../../../shared/contracts/stores/stores.js";
import { issueProperties } from "../../../shared/http/schema-issues.js";

const least = {
  name: "Bottega",
  city: "Roma",
  address: "Via Appia 1",
  email: "bottega@example.com",
  phoneNumber: "06 1234567",
  code: "S-1",
};

const faultsOf = (changes: object): Record<string, string> => {
  const parsed = CreateStoreBody.safeParse({ ...least, ...changes });
  return parsed.success ? {} : issueProperties(parsed.error.issues);
};

describe("a new store", () => {
  test("needs six fields; all others are null where they are absent", () => {
    expect(CreateStoreBody.parse(least)).toEqual({
      ...least,
      ...{ type: null, ownerIban: null, ownerName: null },
      ...{ latitude: null, longitude: null, metadata: null },
    });
  });

  test.each(Object.keys(least))("is refused without its %s, or with an empty one", (field) => {
    expect(Object.keys(faultsOf({ [field]: undefined }))).toEqual([`/${field}`]);
    expect(Object.keys(faultsOf({ [field]: "" }))).toEqual([`/${field}`]);
    expect(Object.keys(faultsOf({ [field]: null }))).toEqual([`/${field}`]);
  });

  test.each(["type", "ownerIban", "ownerName"])("takes a %s of at most 255 characters", (field) => {
    for (const text of [null, "", "a", "a".repeat(255)])
      expect(faultsOf({ [field]: text })).toEqual({});
    expect(faultsOf({ [field]: "a".repeat(256) })).toEqual({
      [`/${field}`]: "must have at most 255 characters.",
    });
  });

  test.each(["a..b@example.com", "a+@example.com", "a@example", "@example.com"])(
    "is refused with the e-mail %s",
    (email) => {
      expect(faultsOf({ email })).toEqual({ "/email": "must be an e-mail address." });
    },
  );

  test.each([".", "..", "a%2Fb", "%2f"])(
    "is refused with the code %s, which no path names",
    (code) => {
      expect(Object.keys(faultsOf({ code }))).toEqual(["/code"]);
    },
  );

  test.each(["...", "a/b", "a%b", ".a", "2F"])("may have the code %s", (code) => {
    expect(faultsOf({ code })).toEqual({});
  });

  test.each([
    [{ latitude: 90, longitude: -180 }, []],
    [{ latitude: 90.1 }, ["/latitude"]],
    [{ longitude: -180.5 }, ["/longitude"]],
    [{ latitude: "41.9" }, ["/latitude"]],
    [{ metadata: {} }, []],
    [{ metadata: [] }, ["/metadata"]],
    [{ isActive: true }, ["/isActive"]],
  ])("with %j has the faults %j", (changes, faults) => {
    expect(Object.keys(faultsOf(changes))).toEqual(faults);
  });
});

test("an update says whether the store is active", () => {
  const parsed = UpdateStoreBody.safeParse(least);
  expect(issueProperties(parsed.error?.issues ?? [])).toEqual({
    "/isActive": "is required: send true or false.",
  });
});
