/** Which network addresses an affiliate's may be: in production none of the platform's own network. */
import { Resolver } from "node:dns/promises";
import { BlockList, isIP, type LookupFunction } from "node:net";

/** What is called may lie anywhere on the internet, on this machine alone, or anywhere at all. */
export type Reach = "internet" | "loopback" | "anywhere";

/** The address is one that may not be called. */
export class AddressRefusedError extends Error {
  override readonly name = "AddressRefusedError";
}

const subnets = (kind: "ipv4" | "ipv6", prefixes: readonly string[]): BlockList => {
  const list = new BlockList();
  for (const prefix of prefixes) {
    const [net = "", bits] = prefix.split("/");
    list.addSubnet(net, Number(bits), kind);
  }
  return list;
};

/** IANA's special-purpose addresses, and the one at which Azure's machines find their host. */
const notInternet4 = subnets("ipv4", [
  ...["0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16"],
  ...["172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16"],
  ...["198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4"],
  "168.63.129.16/32",
]);
const global6 = subnets("ipv6", ["2000::/3"]);
/** Of these, what is for documents, or leads to an address of version 4 that is hidden in it. */
const notInternet6 = subnets("ipv6", ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"]);

const loopback4 = subnets("ipv4", ["127.0.0.0/8"]);

export const isOnInternet = (address: string): boolean => {
  const version = isIP(address);
  if (version === 4) return !notInternet4.check(address, "ipv4");
  return version === 6 && global6.check(address, "ipv6") && !notInternet6.check(address, "ipv6");
};

const isLoopback = (address: string): boolean =>
  address === "::1" || (isIP(address) === 4 && loopback4.check(address, "ipv4"));

const mayReach: Readonly<Record<Reach, (address: string) => boolean>> = {
  internet: isOnInternet,
  loopback: isLoopback,
  anywhere: () => true,
};

const resolver = new Resolver({ timeout: 1_000, tries: 2 });

interface Found {
  readonly address: string;
  readonly family: 4 | 6;
}

/** By DNS, not by the operating system: that looks up four names at once for the whole process, however long they take. */
const addressesOf = async (hostname: string): Promise<readonly Found[]> => {
  if (hostname === "localhost")
    return [
      { address: "127.0.0.1", family: 4 },
      { address: "::1", family: 6 },
    ];
  const [v4, v6] = await Promise.allSettled([
    resolver.resolve4(hostname),
    resolver.resolve6(hostname),
  ]);
  if (v4.status === "rejected" && v6.status === "rejected") throw v4.reason;
  return [
    ...(v4.status === "fulfilled" ? v4.value : []).map((address) => ({
      address,
      family: 4 as const,
    })),
    ...(v6.status === "fulfilled" ? v6.value : []).map((address) => ({
      address,
      family: 6 as const,
    })),
  ];
};

const refuse = (hostname: string): never => {
  throw new AddressRefusedError(`${hostname} is an address that may not be called`);
};

/** Where the host of an address is itself a number, nothing is looked up: it is judged here. */
export const checkHost = ({ hostname }: URL, reach: Reach): void => {
  const address = hostname.replace(/^\[(.*)\]$/, "$1");
  if (isIP(address) !== 0 && !mayReach[reach](address)) refuse(hostname);
};

/**
 * The look-up for a connection, which is made to the very address that was judged: a name that means another one
 * a moment later gains nothing. A name with a single address that may not be called is refused whole.
 */
export const guardedLookup =
  (reach: Reach, look: typeof addressesOf = addressesOf): LookupFunction =>
  (hostname, options, callback) => {
    look(hostname)
      .then((found) => {
        const [first] = found;
        if (first === undefined || !found.every(({ address }) => mayReach[reach](address)))
          return refuse(hostname);
        return { found, first };
      })
      .then(
        ({ found, first }) => {
          if (options.all === true) callback(null, [...found]);
          else callback(null, first.address, first.family);
        },
        (error: unknown) => {
          callback(error instanceof Error ? error : new Error("no address"), "");
        },
      );
  };
