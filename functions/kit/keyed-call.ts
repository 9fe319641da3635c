/** Calls with an Idempotency-Key: carried out once, and every repeat gets the first answer word for word. */
import type { HttpRequest } from "@azure/functions";
import { z } from "zod";
import {
  isIdempotencyKey,
  keyHeader,
  keySentence,
  replayedHeader,
} from "../../shared/contracts/idempotency-key.js";
import type { ErrorCode } from "../../shared/contracts/errors.js";
import type { Route } from "../../shared/contracts/route.js";
import {
  keepAnswer,
  takeKey,
  type KeptAnswer,
  type KeyedRequest,
} from "../../shared/database/platform/kept-answers.js";
import { refusal, success, type Outcome, type Refusal } from "../../shared/domain/outcome.js";
import type { Reply } from "./reply.js";
import type { Services } from "./services.js";

/** Undefined where the caller gives none, or the route takes none. */
export const readKey = (
  { takesIdempotencyKey }: Pick<Route, "takesIdempotencyKey">,
  headers: HttpRequest["headers"],
): Outcome<string | undefined, "QueryParameterInvalid"> => {
  const key = takesIdempotencyKey === true ? headers.get(keyHeader) : null;
  if (key === null) return success(undefined);
  return isIdempotencyKey(key)
    ? success(key)
    : refusal("QueryParameterInvalid", { [keyHeader]: keySentence });
};

const Refused = z.object({ errorCode: z.string() });

/** What was refused says why in its body, in the APIs whose routes take a key. */
const keptReply = ({ status, body }: KeptAnswer): Reply => {
  const headers = { "Content-Type": "application/json", [replayedHeader]: "true" };
  const refused = status < 400 ? undefined : Refused.safeParse(JSON.parse(body)).data;
  return { status, headers, body, ...refused };
};

/** A body that does not fit says nothing of what the platform did: its sender corrects it. */
const bodyDoesNotFit = 422;

/**
 * Takes the key, calls, keeps the answer: one transaction, so that whatever breaks leaves all of it or
 * nothing. Refusals are answers like others; what is thrown leaves the key free.
 */
export const answerOnce = (
  services: Services,
  request: KeyedRequest,
  handle: (services: Services) => Promise<Reply>,
  refuse: (refused: Refusal<ErrorCode>) => Reply,
): Promise<Reply> =>
  services.database.enclosed(async (database) => {
    const taken = await takeKey(database, request);
    if (taken.state === "inUse") return refuse(refusal("IdempotencyKeyInUse"));
    if (taken.state === "reused") return refuse(refusal("IdempotencyKeyReused"));
    if (taken.state === "kept") return keptReply(taken);
    const reply = await handle({ ...services, database });
    const { status = 200, body } = reply;
    if (status === bodyDoesNotFit) return reply;
    if (typeof body !== "string") throw new TypeError("Only JSON answers can be kept.");
    await keepAnswer(database, request, { status, body }, services.config.retention.answerHours);
    return reply;
  });
