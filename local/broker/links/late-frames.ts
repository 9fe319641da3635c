/** Drops what a client still writes on a channel after it has ended the session there. */
import type { Connection } from "../wire/rhea.js";

const linkFrames = ["on_attach", "on_flow", "on_transfer", "on_disposition", "on_detach"] as const;

/**
 * A client may end a session while a detach of ours is on its way; some answer that detach although
 * they have ended. The session is gone here by then, and the library takes such a frame for a
 * violation and closes the connection, with all the other sessions on it. Nothing is left that the
 * frame could change, so it is passed over until the client begins a session on the channel again.
 */
export const dropLateFrames = (connection: Connection): void => {
  const ended = new Set<number>();
  const onBegin = connection.on_begin.bind(connection);
  connection.on_begin = (frame) => {
    ended.delete(frame.channel);
    onBegin(frame);
  };
  const onEnd = connection.on_end.bind(connection);
  connection.on_end = (frame) => {
    onEnd(frame);
    ended.add(frame.channel);
  };
  for (const name of linkFrames) {
    const onFrame = connection[name].bind(connection);
    connection[name] = (frame) => {
      if (!ended.has(frame.channel)) onFrame(frame);
    };
  }
};
