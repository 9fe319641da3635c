/** A small shell that outlives us by a moment: when we die without stopping PostgreSQL, it does. */
import { spawn } from "node:child_process";
import { once } from "node:events";

export interface Watcher {
  /** From now on, our death stops the process with this id. */
  watch(pid: number): void;
  /** Ends the watcher without touching what it watches. */
  dismiss(): Promise<void>;
}

// The kernel closes our end of its standard input however we die; signals of the terminal are ignored.
const script = `
  trap '' HUP INT TERM
  read -r pid || exit 0
  read -r dismissed && exit 0
  kill -INT "$pid" || exit 0
  polls=0
  while [ $polls -lt 200 ]; do
    sleep 0.1 || sleep 1
    kill -0 "$pid" || exit 0
    polls=$((polls + 1))
  done
  kill -QUIT "$pid"
`;

/** Starts the watcher. It is started before the process that it watches, so that no gap remains. */
export const startWatcher = (): Watcher => {
  const shell = spawn("sh", ["-c", script], {
    cwd: "/",
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  const exited = once(shell, "exit");
  // A watcher that somebody killed must not take us with it.
  shell.stdin.on("error", () => undefined);
  return {
    watch: (pid) => void shell.stdin.write(`${pid}\n`),
    dismiss: async () => {
      shell.stdin.end("dismissed\ndismissed\n");
      await exited;
    },
  };
};
