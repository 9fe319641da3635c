/** The connections to one affiliate: kept open between requests, bounded, and to addresses that may be called. */
import { Agent as HttpAgent, type Agent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { post, type Exchange } from "./http-exchange.js";
import { AddressRefusedError, checkHost, guardedLookup, type Reach } from "./own-network.js";

export interface Posted {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Over a connection of its own: one that was kept may be dead without anybody having noticed. */
  readonly isFresh?: boolean;
}

export interface Connections {
  /** Throws AddressRefusedError; a name is looked up, and may be refused, only later. */
  readonly post: (posted: Posted) => Exchange;
  readonly close: () => void;
}

const idleMsMax = 20_000;
const idleMax = 64;

interface Pair {
  readonly kept: Agent;
  readonly fresh: Agent;
}

const pairOf = (Made: typeof HttpAgent, reach: Reach, socketsMax: number): Pair => {
  const common = { lookup: guardedLookup(reach), maxSockets: socketsMax, noDelay: true };
  return {
    kept: new Made({ ...common, keepAlive: true, maxFreeSockets: idleMax, timeout: idleMsMax }),
    fresh: new Made({ ...common, keepAlive: false }),
  };
};

export const openConnections = (isProduction: boolean, socketsMax: number): Connections => {
  const reach = isProduction ? "internet" : "anywhere";
  const byHttps = pairOf(HttpsAgent, reach, socketsMax);
  const byHttp = pairOf(HttpAgent, "loopback", socketsMax);
  return {
    post: ({ url, headers, body, isFresh = false }) => {
      const isHttps = url.protocol === "https:";
      if (!isHttps && isProduction) throw new AddressRefusedError("http is not for production");
      checkHost(url, isHttps ? reach : "loopback");
      const pair = isHttps ? byHttps : byHttp;
      return post({ url, headers, body, agent: isFresh ? pair.fresh : pair.kept });
    },
    close: () => {
      for (const { kept, fresh } of [byHttps, byHttp]) {
        kept.destroy();
        fresh.destroy();
      }
    },
  };
};
