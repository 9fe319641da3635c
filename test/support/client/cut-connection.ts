/** A way to the platform that breaks once: the connection is cut when the answer to a certain request comes back. */
import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { z } from "zod";

export interface CutWay {
  readonly url: string;
  /** How often it has cut: at most once. */
  cuts(): number;
  close(): Promise<void>;
}

/** Cuts the first connection on which a request begins so, as soon as the first byte of its answer is there. */
export const cutAfterCommit = async (platformUrl: string, request: string): Promise<CutWay> => {
  let cuts = 0;
  const open = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect({ host: "127.0.0.1", port: Number(new URL(platformUrl).port) });
    let isMeant = false;
    for (const socket of [near, far]) {
      open.add(socket);
      // Whoever is cut off first tells the other side by ending.
      socket.on("error", () => socket.destroy());
      socket.on("close", () => open.delete(socket));
    }
    near.on("data", (chunk) => {
      isMeant ||= chunk.toString("latin1").startsWith(request);
      far.write(chunk);
    });
    far.on("data", (chunk) => {
      if (isMeant && cuts === 0) {
        cuts += 1;
        near.destroy();
        far.destroy();
      } else near.write(chunk);
    });
    near.on("end", () => far.end());
    far.on("end", () => near.end());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = z.custom<AddressInfo>().parse(server.address());
  return {
    url: `http://127.0.0.1:${port}`,
    cuts: () => cuts,
    close: async () => {
      const closed = once(server, "close");
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
};
