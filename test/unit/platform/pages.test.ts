/** What the query of a list takes for a page, and what it refuses. */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { pageErrors, pageQuery } from "../../../shared/contracts/pages.js";
import { parseQuery } from "../../../shared/http/text-parameters.js";

const parse = (query: string) =>
  parseQuery(z.object(pageQuery), new URLSearchParams(query), pageErrors);

describe("a page", () => {
  test("is the first of fifty items where nothing is asked for", () => {
    expect(parse("")).toMatchObject({ ok: true, value: { pageSize: 50, pageNumber: 0 } });
  });

  test.each([
    ["pageSize=1&pageNumber=7", { pageSize: 1, pageNumber: 7 }],
    ["pageSize=200", { pageSize: 200, pageNumber: 0 }],
    ["pageNumber=2147483647", { pageSize: 50, pageNumber: 2_147_483_647 }],
  ])("takes %s", (query, value) => {
    expect(parse(query)).toEqual({ ok: true, value });
  });

  test.each(["0", "201", "-1", "", " 5", "5.0", "1e2", "0x10", "all", "99999999999"])(
    "refuses the size '%s' by its own code",
    (size) => {
      expect(parse(`pageSize=${encodeURIComponent(size)}`)).toMatchObject({
        code: "PageSizeOutOfRange",
        properties: { pageSize: expect.stringMatching(/^must be .+\.$/) as unknown },
      });
    },
  );

  test.each(["-1", "", "1.5", "2147483648"])(
    "refuses the number '%s' by its own code",
    (number) => {
      expect(parse(`pageNumber=${number}`)).toMatchObject({
        code: "PageNumberOutOfRange",
        properties: { pageNumber: expect.stringMatching(/^must be .+\.$/) as unknown },
      });
    },
  );

  test.each(["-1", "1.5", "x"])("says of %s that a number needs no sign or point", (number) => {
    expect(parse(`pageNumber=${number}`)).toMatchObject({
      properties: { pageNumber: "must be a whole number without a sign." },
    });
  });

  test.each([
    ["pageSize=0", { pageSize: "must be at least 1." }],
    ["pageSize=201", { pageSize: "must be at most 200." }],
    ["pageNumber=2147483648", { pageNumber: "must be at most 2147483647." }],
  ])("says of %s which bound it is beyond", (query, properties) => {
    expect(parse(query)).toMatchObject({ properties });
  });

  test("is documented as the whole number that it is", () => {
    expect(z.toJSONSchema(z.object(pageQuery), { io: "input" })).toMatchObject({
      properties: {
        pageSize: { type: "integer", minimum: 1, maximum: 200, description: "50 where absent." },
        pageNumber: { type: "integer", minimum: 0, description: "0 where absent." },
      },
    });
  });
});
