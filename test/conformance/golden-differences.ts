/** Where the local host differs from the recordings of a genuine one, on purpose, and why. */

/** Case of a recording → why its answer is another one here. */
export type AcceptedDifferences = Readonly<Record<string, string>>;

const answered =
  "The genuine host never answers when a streaming function gives no response object; ours answers 500 and closes.";
const passedOn = "The genuine host hangs on it when streaming; ours serves it as it does without.";

export const acceptedDifferences: Readonly<Record<string, AcceptedDifferences>> = {
  "http-buffered": {},
  "http-stream": {
    "malformed JSON, uncaught": answered,
    "no body read as JSON, uncaught": answered,
    "form read from JSON": answered,
    "respond streamError":
      "The genuine host never ends the answer; ours breaks the connection off.",
    "respond status99": answered,
    "respond status1000": answered,
    "respond headersBad": answered,
    "respond undefined": answered,
    "respond null": answered,
    "respond bareString": answered,
    "respond bareNumber": answered,
    "respond throw": answered,
    "respond throwString": answered,
    "respond throwTyped": answered,
    "respond reject": answered,
    "header with UTF-8 bytes": passedOn,
    "Expect: something else": passedOn,
  },
  prefixed: {},
};
