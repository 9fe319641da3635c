/** Hands items one by one from whoever is called with them to whoever asks for them. */

export interface HandOver<Item> {
  /** Resolves to true once the item is settled, to false where nobody takes it any more. */
  offer(item: Item): Promise<boolean>;
  /** The next item; undefined where there will be none. Rejects with what `fail` was told. */
  take(): Promise<Item | undefined>;
  /** The item that was taken last is done with. */
  settled(): void;
  fail(error: Error): void;
  close(): void;
}

interface Offered<Item> {
  readonly item: Item;
  readonly settled: (isTaken: boolean) => void;
}

/** Closes with the signal. */
export const handOver = <Item>(signal: AbortSignal | undefined): HandOver<Item> => {
  const waiting: Offered<Item>[] = [];
  let inHand: Offered<Item> | undefined;
  let failure: Error | undefined;
  let isClosed = false;
  let wake: () => void = () => undefined;

  const close = (): void => {
    isClosed = true;
    for (const { settled } of waiting.splice(0)) settled(false);
    wake();
  };
  const removeListener = (): void => signal?.removeEventListener("abort", close);
  if (signal?.aborted === true) close();
  else signal?.addEventListener("abort", close, { once: true });

  return {
    offer: async (item) => {
      if (isClosed) return false;
      return new Promise<boolean>((settled) => {
        waiting.push({ item, settled });
        wake();
      });
    },
    take: async () => {
      while (!isClosed && failure === undefined && waiting.length === 0)
        await new Promise<void>((resolve) => (wake = resolve));
      if (isClosed) return undefined;
      if (failure !== undefined) throw failure;
      inHand = waiting.shift();
      return inHand?.item;
    },
    settled: () => inHand?.settled(true),
    fail: (error) => {
      failure ??= error;
      wake();
    },
    close: () => {
      removeListener();
      close();
    },
  };
};
