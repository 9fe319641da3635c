/** Pieces of an answer as a stream that reads ahead of nobody. */
import { ReadableStream } from "node:stream/web";

/** A piece is asked for when the client has taken the last. */
export const byteStream = (pieces: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> =>
  new ReadableStream(
    {
      pull: async (controller) => {
        const next = await pieces.next();
        if (next.done === true) controller.close();
        else controller.enqueue(next.value);
      },
      cancel: async () => {
        await pieces.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
