/** A call for each success and each refusal of clearings: bookmarks, files, deletions, triggers. */
import { randomUUID } from "node:crypto";
import { z } from "zod";
import * as clearings from "../../../shared/contracts/clearing/clearings.js";
import { getClearingFileRoute } from "../../../shared/contracts/clearing/files.js";
import {
  triggerClearingExportRoute,
  triggerClearingRoute,
} from "../../../shared/contracts/clearing/flows.js";
import * as structures from "../../../shared/contracts/clearing/structures.js";
import type { Route } from "../../../shared/contracts/route.js";
import { exportNextFile } from "../../../shared/database/clearing/exports.js";
import { clearingModes } from "../../../shared/domain/clearing/bookmark-states.js";
import { meansOf } from "../clearing/driven.js";
import { writeSummedClearing } from "../clearing/exported.js";
import type { Call } from "./card-desk.js";
import { listCases, type UseCase, type UseMeans } from "./use-cases.js";

/** Rests after its import; writes its files, none of them delivered; all is delivered. */
type State = "resting" | "exporting" | "delivered";

const Ids = z.object({ incomingClearingId: z.string(), outgoingClearingId: z.string() });

export const clearingCases = ({ database }: UseMeans): readonly UseCase[] => {
  let days = 0;
  /** The identifiers of a day's clearing: its bookmark, what came in, and what goes to `affiliate`. */
  const dayIn = async (state: State, affiliate = "acme"): Promise<Record<string, string>> => {
    days += 1;
    const date = new Date(Date.UTC(2024, 0, days)).toISOString().slice(0, 10);
    const affiliates = ["acme", "globex"];
    const bookmarkId = await writeSummedClearing(database(), { records: 2, affiliates }, date);
    if (state === "resting")
      await database().execute(
        "update borsello.clearing_bookmark set is_resting = true where clearing_bookmark_id = $1",
        [bookmarkId],
      );
    if (state === "delivered") {
      for (let isOver = false; !isOver;)
        ({ isOver } = await exportNextFile(meansOf(database()), bookmarkId, null));
      await database().execute(
        `update borsello.clearing_bookmark set status = 'Completed', end_date = now()
         where clearing_bookmark_id = $1`,
        [bookmarkId],
      );
    }
    const ids = await database().row(
      Ids,
      `select incoming_clearing_id as "incomingClearingId", outgoing_clearing_id as "outgoingClearingId"
       from borsello.incoming_clearing as i join borsello.outgoing_clearing as o
         using (clearing_bookmark_id, type)
       where clearing_bookmark_id = $1 and partner_key = $2 limit 1`,
      [bookmarkId, affiliate],
    );
    return { bookmarkId, incomingClearingId: "", outgoingClearingId: "", ...ids };
  };
  const at =
    (state: State, affiliate?: string, change: Readonly<Record<string, string>> = {}) =>
    async (): Promise<Call> => ({ params: { ...(await dayIn(state, affiliate)), ...change } });
  const nothing = async (): Promise<Call> => ({});
  const body = (given: object) => async (): Promise<Call> => ({ body: given });

  const lists = clearings.listClearingBookmarksRoute;
  const file = getClearingFileRoute;
  const deletions = (route: Route, id: string): readonly UseCase[] => [
    { route, code: "ok", given: at("resting") },
    { route, code: "ClearingBookmarkNotFound", given: nothing },
    {
      ...{ route, code: "ClearingFileNotFound" },
      given: at("resting", "acme", { [id]: randomUUID() }),
    },
    { route, code: "ClearingBookmarkStatusInvalid", given: at("exporting") },
    { route, code: "ClearingFileAlreadyDelivered", given: at("delivered") },
  ];
  return [
    ...[
      structures.getClearingHeaderStructureRoute,
      structures.getClearingRecordStructureRoute,
      structures.getFeeHeaderStructureRoute,
      structures.getFeeRecordStructureRoute,
    ].map((route): UseCase => ({ route, code: "ok", given: nothing })),

    { route: lists, code: "ok", given: nothing },
    ...listCases(lists, nothing),
    {
      ...{ route: lists, code: "DateRangeInvalid" },
      given: async () => ({ query: "fromDate=2026-02-01&toDate=2026-01-01" }),
    },
    ...[clearings.listIncomingClearingsRoute, clearings.listOutgoingClearingsRoute].flatMap(
      (route: Route): UseCase[] => [
        { route, code: "ok", given: at("resting") },
        { route, code: "ClearingBookmarkNotFound", given: nothing },
      ],
    ),

    { route: file, code: "ok", given: at("delivered") },
    { route: file, code: "ClearingBookmarkNotFound", given: nothing },
    { route: file, code: "ClearingFileNotFound", given: at("resting") },
    { route: file, code: "AccountOfAnotherAffiliate", given: at("delivered", "globex") },

    ...deletions(clearings.deleteIncomingClearingRoute, "incomingClearingId"),
    ...deletions(clearings.deleteOutgoingClearingRoute, "outgoingClearingId"),
    {
      ...{ route: clearings.deleteOutgoingClearingRoute, code: "AccountOfAnotherAffiliate" },
      given: at("resting", "globex"),
    },

    ...clearingModes.flatMap((mode): UseCase[] =>
      mode === "ExportOnly"
        ? []
        : [{ route: triggerClearingRoute, code: "ok", what: mode, given: body({ mode }) }],
    ),
    {
      ...{ route: triggerClearingRoute, code: "ClearingBookmarkNotFound", what: "ExportOnly" },
      given: body({ mode: "ExportOnly", clearingDate: "2020-01-01" }),
    },
    {
      ...{ route: triggerClearingRoute, code: "ValidationFailed" },
      given: body({ clearingDate: "2999-01-01" }),
    },
    {
      ...{ route: triggerClearingExportRoute, code: "ok" },
      given: async () => ({ body: { clearingBookmarkId: (await dayIn("resting"))["bookmarkId"] } }),
    },
    {
      ...{ route: triggerClearingExportRoute, code: "ClearingBookmarkNotFound" },
      given: body({ clearingBookmarkId: randomUUID() }),
    },
  ];
};
