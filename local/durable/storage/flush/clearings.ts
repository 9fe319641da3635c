/** The instances whose turn leaves work behind that nobody needs any more: an execution ends or begins anew. */
import { fenceKey, input } from "./part.js";

export const clearings = input(
  "clearings",
  ({ turn, begun }) =>
    turn === undefined || begun !== undefined || turn.clears === "nothing" ? [] : [turn],
  [
    fenceKey,
    { name: "key", type: "bigint", value: ({ key }) => key },
    { name: "id", type: "text", value: ({ id }) => id },
    { name: "status", type: "text", value: ({ status }) => status },
    {
      name: "whole_execution",
      type: "boolean",
      value: ({ clears }) => clears === "execution",
    },
  ],
);
