/** Where the local host differs from the recordings of a genuine one, on purpose, and why. */
import type { Accepted, AcceptedDifference } from "../../support/recordings/surprises.js";

const answered: AcceptedDifference = {
  why: "A streaming function that gives no response object is never answered there; here with 500.",
  at: ["0.status", "0.text"],
};
const passedOn: AcceptedDifference = {
  why: "It hangs there when streaming; here it is served as it is without.",
  at: ["0.status", "0.headers", "0.json"],
};

const httpStream: Accepted = {
  "malformed JSON, uncaught": answered,
  "no body read as JSON, uncaught": answered,
  "form read from JSON": answered,
  "respond streamError": {
    why: "The answer never ends there; here its connection is broken off.",
    at: ["0.text"],
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

const ended: AcceptedDifference = {
  why: "The orchestration stays Running for ever there; here it fails and says why.",
  at: ["1", "2"],
};

const histories: Accepted = {
  throwsString: ended,
  unknownActivity: ended,
  unknownChild: ended,
  entityUnknownName: ended,
};

const managing: Accepted = {
  "status at every step": {
    why: "The library's getStatus with showHistory yields the history, as it says that it does.",
    at: ["8.json.result.history", "23.json.result.history"],
  },
  "rewind when retries were exhausted": {
    why: "The rewound instance makes its attempts again; there it fails as if its code had changed.",
    at: ["4.json.output", "4.json.historyEvents"],
  },
};

const listing: Accepted = {
  "list and purge by filter": {
    why: "A purge of Running instances finds none that it may remove; there it removes all, whatever their status, which shows in what is left.",
    at: ["35", "36", "37", "38"],
  },
};

const changedCode = "The text also says at which event of the history the code went another way.";

const changeAfter: Accepted = {
  "after changed": {
    why: `${changedCode} The instance can be asked for its history, which is refused there.`,
    at: ["2.json.output", "3"],
  },
  "after shortened": {
    why: changedCode,
    at: ["2.json.output", "3.json.output", "3.json.historyEvents.3.Result"],
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
