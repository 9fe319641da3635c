/** Where the local host differs from the recordings of a genuine one, on purpose, and why. */

export interface AcceptedDifference {
  /** In brackets the number under which the recordings describe it. */
  readonly why: string;
  /** The places that differ, or what they begin with: the number of the exchange, then the path. */
  readonly at: readonly string[];
}
type Accepted = Readonly<Record<string, AcceptedDifference>>;

const answered: AcceptedDifference = {
  why: "A streaming function that gives no response object is never answered there; here with 500 (14).",
  at: [".0.response.status", ".0.response.body"],
};
const passedOn: AcceptedDifference = {
  why: "It hangs there when streaming; here it is served as it is without (15).",
  at: [".0.response"],
};

const httpStream: Accepted = {
  "malformed JSON, uncaught": answered,
  "no body read as JSON, uncaught": answered,
  "form read from JSON": answered,
  "respond streamError": {
    why: "The answer never ends there; here its connection is broken off (14).",
    at: [".0.response.body.text"],
  },
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
};

/** Exchange 0 there says that the recorder gave up waiting. */
const ended: AcceptedDifference = {
  why: "The orchestration stays Running for ever there; here it fails and says why (17).",
  at: [".0", ".1"],
};

const histories: Accepted = {
  "history throwsString": ended,
  "history unknownActivity": ended,
  "history unknownChild": ended,
  "history entityUnknownName": ended,
};

const managing: Accepted = {
  "status at every step": {
    why: "The library's getStatus with showHistory yields the history, as it says that it does (26).",
    at: [".6.response.body.json.result.history", ".18.response.body.json.result.history"],
  },
  "rewind when retries were exhausted": {
    why: "The rewound instance makes its attempts again; there it fails as if its code had changed (27).",
    at: [".1.response.body.json.output", ".1.response.body.json.historyEvents"],
  },
};

const listing: Accepted = {
  "list and purge by filter": {
    why: "A purge of Running instances finds none that it may remove; there it removes all, whatever their status, which shows in what is left (24).",
    at: [".19.response", ".20.response.body", ".21.response.body", ".22.response.body"],
  },
};

const changedCode =
  "The text also says at which event of the history the code went another way (28).";

const changeAfter: Accepted = {
  "after changed": {
    why: `${changedCode} The instance can be asked for its history, which is refused there.`,
    at: [".1.response.body.json.output", ".2.response"],
  },
  "after shortened": {
    why: changedCode,
    at: [
      ".1.response.body.json.output",
      ".2.response.body.json.output",
      ".2.response.body.json.historyEvents.3.Result",
    ],
  },
};

/** By recording, then by case. */
export const acceptedDifferences: Readonly<Record<string, Accepted>> = {
  "http-stream": httpStream,
  histories,
  managing,
  listing,
  "change-after": changeAfter,
};
