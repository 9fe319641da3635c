/** A refused message holds up its own session and nobody else, wherever it lies and however it is refused. */
import { ServiceBusError } from "@azure/service-bus";
import fc from "fast-check";
import { expect, test } from "vitest";
import { attemptsMax, sendAround } from "../../../shared/events/send-around.js";
import { UnsendableMessageError } from "../../../shared/events/send-failure.js";

interface Letter {
  readonly number: number;
  readonly sessionId: string;
  readonly attempts: number;
  readonly isPoisoned: boolean;
}

const letters = (marks: readonly (readonly [session: number, isPoisoned: boolean])[]): Letter[] =>
  marks.map(([session, isPoisoned], number) => ({
    number,
    sessionId: `session-${session}`,
    attempts: 0,
    isPoisoned,
  }));

const numbers = (found: readonly Letter[]): number[] => found.map(({ number }) => number);

/** Takes a piece whole or not at all, as the service does; the client finds some faults itself. */
const refusing = (error: (poisoned: Letter) => Error, isFoundByClient = false) => {
  const seen = { sends: 0, taken: [] as Letter[] };
  const send = async (piece: readonly Letter[]) => {
    seen.sends += 1;
    const at = piece.findIndex(({ isPoisoned }) => isPoisoned);
    const poisoned = piece[at];
    if (poisoned === undefined) {
      seen.taken.push(...piece);
      return { acknowledged: piece.length };
    }
    const acknowledged = isFoundByClient ? at : 0;
    seen.taken.push(...piece.slice(0, acknowledged));
    return { acknowledged, failure: error(poisoned) };
  };
  return { seen, send };
};

const tooLarge = () => new ServiceBusError("too large", "MessageSizeExceeded");
const internal = () => new ServiceBusError("InternalServerError: no", "GeneralError");

const expected = (all: readonly Letter[]) => {
  const firstPoisoned = new Map<string, number>();
  for (const { sessionId, number, isPoisoned } of all)
    if (isPoisoned && !firstPoisoned.has(sessionId)) firstPoisoned.set(sessionId, number);
  return {
    accepted: all.filter(
      ({ sessionId, number }) => number < (firstPoisoned.get(sessionId) ?? Infinity),
    ),
    refused: [...firstPoisoned.values()].sort((one, other) => one - other),
  };
};

test.each([
  ["by the broker", tooLarge, false],
  ["by the client", () => new UnsendableMessageError("too large"), true],
])(
  "whatever is refused %s, all else of other sessions arrives, once and in order",
  async (_, error, isFoundByClient) => {
    const mark = fc.tuple(fc.nat({ max: 12 }), fc.boolean());
    await fc.assert(
      fc.asyncProperty(fc.array(mark, { maxLength: 100 }), async (marks) => {
        const all = letters(marks);
        const { seen, send } = refusing(error, isFoundByClient);
        const outcome = await sendAround(all, send);
        const { accepted, refused } = expected(all);
        expect(numbers(outcome.accepted)).toEqual(numbers(accepted));
        expect(numbers(seen.taken)).toEqual(numbers(accepted));
        expect(outcome.refused.map(({ message }) => message.number)).toEqual(refused);
        expect([outcome.tried, outcome.failure]).toEqual([[], undefined]);
        expect(seen.sends).toBeLessThanOrEqual(2 * all.length);
      }),
    );
  },
);

test("one refused message among a hundred costs a dozen sends or two", async () => {
  const all = letters(Array.from({ length: 100 }, (_, index) => [index, index === 63] as const));
  const { seen, send } = refusing(tooLarge);
  expect((await sendAround(all, send)).accepted).toHaveLength(99);
  expect(seen.sends).toBeLessThanOrEqual(20);
});

test.each([
  ["the destination is missing", new ServiceBusError("no topic", "MessagingEntityNotFound")],
  ["the broker is away", new Error("read ECONNRESET")],
])("where %s nothing is refused and nothing more is tried", async (_, failure) => {
  let sends = 0;
  const all = letters([
    [1, false],
    [2, false],
    [3, false],
  ]);
  const outcome = await sendAround(all, async () => {
    sends += 1;
    return sends === 1 ? { acknowledged: 1, failure } : { acknowledged: 0, failure };
  });
  expect(sends).toBe(1);
  expect([numbers(outcome.accepted), outcome.refused]).toEqual([[0], []]);
  expect([numbers(outcome.tried), outcome.failure]).toEqual([[1, 2], failure]);
});

test("a failure that says nothing is the message's where the destination takes another one", async () => {
  const all = letters([
    [1, true],
    [2, false],
    [1, false],
    [3, false],
  ]);
  const outcome = await sendAround(all, refusing(internal).send);
  expect(numbers(outcome.accepted)).toEqual([1, 3]);
  expect(outcome.refused.map(({ message }) => message.number)).toEqual([0]);
  expect(outcome.failure).toBeUndefined();
});

test("a failure that says nothing is the destination's where it takes none, after a few tries", async () => {
  const all = letters(Array.from({ length: 100 }, (_, index) => [index, true] as const));
  const { seen, send } = refusing(internal);
  const outcome = await sendAround(all, send);
  expect([outcome.accepted, outcome.refused]).toEqual([[], []]);
  expect(outcome.failure).toBeInstanceOf(ServiceBusError);
  expect(seen.sends).toBeLessThanOrEqual(12);
});

test("a message that fails alone, time after time, does not keep its destination for ever", async () => {
  const [message] = letters([[1, true]]);
  if (message === undefined) throw new Error("there is one message");
  const tryAs = (known: Partial<Letter> & { isSuspect?: boolean }) =>
    sendAround([{ ...message, ...known }], refusing(internal).send);
  expect((await tryAs({ attempts: attemptsMax - 2 })).refused).toEqual([]);
  expect((await tryAs({ attempts: attemptsMax - 1 })).refused).toHaveLength(1);
  expect((await tryAs({ isSuspect: true })).refused).toHaveLength(1);
});
