/** Chooses the system account that PostgreSQL runs under, since it refuses to run as root. */
import { spawn } from "node:child_process";
import type { ChildProcess, SpawnOptions } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { StartError } from "../start-error.js";

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

export interface Account {
  /** Who must own PostgreSQL's files; undefined when that is simply the user who runs us. */
  readonly owner: Owner | undefined;
  /** Starts a program under this account. */
  spawn(command: string, args: readonly string[], options: SpawnOptions): ChildProcess;
}

interface Candidate extends Owner {
  readonly name: string;
}

const parseAccounts = (passwd: string): Candidate[] =>
  passwd.split("\n").flatMap((line) => {
    const [name, , uid, gid] = line.split(":");
    return name === undefined || uid === undefined || gid === undefined
      ? []
      : [{ name, uid: Number(uid), gid: Number(gid) }];
  });

/** The owner of an existing cluster, else `postgres`, else `nobody`: never an account of our making. */
const chooseCandidate = async (existing: Owner | undefined): Promise<Candidate> => {
  // Where accounts are kept elsewhere, an existing owner is enough.
  const accounts = parseAccounts(await readFile("/etc/passwd", "utf8").catch(() => ""));
  if (existing !== undefined && existing.uid !== 0) {
    const named = accounts.find(({ uid }) => uid === existing.uid);
    return { ...existing, name: named?.name ?? `with id ${existing.uid}` };
  }
  const chosen = ["postgres", "_postgres", "nobody"]
    .map((name) => accounts.find((account) => account.name === name))
    .find((account) => account !== undefined && account.uid > 0);
  if (chosen === undefined)
    throw new StartError(
      "PostgreSQL does not run as root, and this machine has neither a user postgres nor a user nobody: run as a normal user, or give a server with --database-url.",
    );
  return chosen;
};

/** Can a program of this account execute the binary and write into the folder? Asked of the system itself. */
const canReach = async (account: Account, binary: string, folder: string): Promise<boolean> => {
  const probe = account.spawn(
    "sh",
    ["-c", 'test -x "$1" && test -x "$2" && test -w "$2"', "sh", binary, folder],
    { cwd: "/", stdio: "ignore" },
  );
  try {
    await once(probe, "exit");
  } catch {
    return false;
  }
  return probe.exitCode === 0;
};

const ourselves: Account = { owner: undefined, spawn };

const dropTo = ({ uid, gid }: Owner): Account => ({
  owner: { uid, gid },
  spawn: (command, args, options) => spawn(command, args, { ...options, uid, gid }),
});

/**
 * The same account, still allowed to pass through folders that only root may enter: a checkout
 * below /root is one. It is the last resort, since it gives the server more than it normally has.
 */
const dropWithPassage = ({ uid, gid }: Owner): Account => {
  const capabilities = "+dac_override,+dac_read_search";
  const drop = [
    `--reuid=${uid}`,
    `--regid=${gid}`,
    "--clear-groups",
    `--inh-caps=${capabilities}`,
    `--ambient-caps=${capabilities}`,
    // Without this, access(2) answers as if the account had no such leave, and initdb asks it.
    "--securebits=+no_setuid_fixup",
    "--",
  ];
  return {
    owner: { uid, gid },
    spawn: (command, args, options) => spawn("setpriv", [...drop, command, ...args], options),
  };
};

/** An account that can run `binary` on `folder`, which `prepare` first hands to its owner. */
export const chooseAccount = async (
  binary: string,
  folder: string,
  existing: Owner | undefined,
  prepare: (owner: Owner) => Promise<void>,
): Promise<Account> => {
  if (process.getuid?.() !== 0) return ourselves;
  const candidate = await chooseCandidate(existing);
  await prepare(candidate);
  for (const account of [dropTo(candidate), dropWithPassage(candidate)])
    if (await canReach(account, binary, folder)) return account;
  throw new StartError(
    `PostgreSQL does not run as root, and the user ${candidate.name} cannot reach ${binary} and ${folder}: move the checkout and the data folder out of folders that are closed to others, or run as a normal user, or give a server with --database-url.`,
  );
};
