/** A business event as a value: everything that messages, force-push, the log, checks and documents read. */
import { z } from "zod";
import { envelope } from "./envelope.js";

/** The fields that lie beside the envelope's, all of them always present. */
export type PayloadShape = Readonly<Record<string, z.ZodType>>;

export interface BusinessEvent {
  /** The message's subject: `WalletCreated`. */
  readonly name: string;
  /** Forced by `POST /wallet/bypass/{forcedAs}` (wallet seed, 4.7); null: it cannot be forced. */
  readonly forcedAs: string | null;
  readonly payload: PayloadShape;
  /** The first of these fields that is set is the message's session: what keeps its order. */
  readonly session: readonly string[];
  /** Whose changes `entityVersion` counts, and the field that names it. */
  readonly entity: { readonly name: string; readonly id: string };
  readonly summary: string;
  /** Markdown for documents: when it comes, what is special about a field. */
  readonly description?: string;
  /** A whole payload; all of them together tell one story. */
  readonly example: Readonly<Record<string, unknown>>;
}

type FieldOf<Shape extends PayloadShape> = keyof Shape & string;

/** Its session, its entity and its example are made of the payload's fields. */
interface Declaration<Shape extends PayloadShape> extends BusinessEvent {
  readonly payload: Shape;
  readonly session: readonly FieldOf<Shape>[];
  readonly entity: { readonly name: string; readonly id: FieldOf<Shape> };
  readonly example: { readonly [Field in FieldOf<Shape>]: z.output<Shape[Field]> };
}

export const businessEvent = <const Shape extends PayloadShape>(
  declared: Declaration<Shape>,
): BusinessEvent => declared;

/** The message's body: one flat object, these fields and no other. */
export const eventBody = ({ payload }: Pick<BusinessEvent, "payload">) =>
  z.strictObject({ ...envelope, ...payload });

/** Null: none of the fields that name the session is set. */
export const sessionOf = (
  { session }: Pick<BusinessEvent, "session">,
  body: Readonly<Record<string, unknown>>,
): string | null => {
  for (const field of session) {
    const value = body[field];
    if (typeof value === "string") return value;
  }
  return null;
};
