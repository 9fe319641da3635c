/** Whether some serial order of what several clients did explains every answer that they got. */

export interface Model<State, Command, Answer> {
  /** The answer and the state after a command. */
  readonly step: (
    state: State,
    command: Command,
  ) => { readonly answer: Answer; readonly state: State };
}

export interface Done<Command, Answer> {
  readonly command: Command;
  readonly answer: Answer;
}

const same = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

/** Each client's own order is kept; the clients are interleaved in every way until one fits. */
export const isSerial = <State, Command, Answer>(
  { step }: Model<State, Command, Answer>,
  start: State,
  end: State,
  clients: readonly (readonly Done<Command, Answer>[])[],
): boolean => {
  const failed = new Set<string>();
  const fits = (state: State, places: readonly number[]): boolean => {
    if (places.every((place, client) => place === clients[client]?.length)) return same(state, end);
    const key = JSON.stringify([state, places]);
    if (failed.has(key)) return false;
    const found = clients.some((done, client) => {
      const next = done[places[client] ?? 0];
      if (next === undefined) return false;
      const stepped = step(state, next.command);
      if (!same(stepped.answer, next.answer)) return false;
      return fits(
        stepped.state,
        places.map((place, index) => (index === client ? place + 1 : place)),
      );
    });
    if (!found) failed.add(key);
    return found;
  };
  return fits(
    start,
    clients.map(() => 0),
  );
};
