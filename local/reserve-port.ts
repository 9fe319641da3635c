/** Takes a port early, so that a busy one is told before anything else has been started. */
import { once } from "node:events";
import { createServer } from "node:net";
import { errorCode, StartError } from "./start-error.js";

export interface ReservedPort {
  readonly port: number;
  /** Gives it up, for the server that is to listen on it a moment later. */
  release(): Promise<void>;
}

/** Reserves `wanted` on the loopback address, or any free port where that is 0. */
export const reservePort = async (wanted: number, option: string): Promise<ReservedPort> => {
  // Whoever asks too early is sent away instead of being left waiting for an answer.
  const server = createServer((socket) => socket.destroy());
  try {
    server.listen(wanted, "127.0.0.1");
    await once(server, "listening");
  } catch (error) {
    if (errorCode(error) === "EADDRINUSE")
      throw new StartError(`Port ${wanted} is in use: choose another one with ${option}.`);
    if (errorCode(error) === "EACCES")
      throw new StartError(`You may not use port ${wanted}: choose another one with ${option}.`);
    throw error;
  }
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a TCP port was expected");
  const closed = once(server, "close");
  return {
    port: address.port,
    release: async () => {
      server.close();
      await closed;
    },
  };
};
