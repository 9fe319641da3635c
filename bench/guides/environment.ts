/** What a guide's reader has: a terminal like anybody's, whose npm may take packages that are there already. */
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";

export type Environment = Readonly<Record<string, string>>;

/** Of whoever starts us: settings of the platform, and what npm and tests tell their children. */
const notTheReaders =
  /^(?:npm_(?!config_)|VITEST|NODE_|DATABASE_URL$|ServiceBus|LOG_LEVEL$|INIT_CWD$)/;

const inherited = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && !notTheReaders.test(entry[0]),
    ),
  );

export interface NpmHelp {
  /** `npm ci` and `npm install` link what lies here instead of downloading it. */
  readonly modules?: string;
  /** Behind `npm start`: the ports that are free, and where to tell that it runs. */
  readonly startOptions?: string;
}

/** All else goes to npm itself. */
const npmScript = ({ modules, startOptions }: NpmHelp, path: string): string => `#!/bin/sh
PATH="${path}"
${
  modules === undefined
    ? ""
    : `if [ "$1" = ci ]; then exec ln -s "${modules}" node_modules; fi
if [ "$1" = install ]; then
  shift
  for name in "$@"; do
    case "$name" in -*) continue ;; esac
    if [ ! -d "${modules}/$name" ]; then echo "The platform has not installed $name." >&2; exit 1; fi
    mkdir -p "node_modules/$(dirname "$name")"
    ln -sfn "${modules}/$name" "node_modules/$name"
  done
  exit
fi`
}
${startOptions === undefined ? "" : `if [ "$1" = start ]; then exec npm start -- ${startOptions}; fi`}
exec npm "$@"
`;

/** The environment of a shell whose npm is helped so; the script for it lies in the folder. */
export const readerEnvironment = async (folder: string, help: NpmHelp): Promise<Environment> => {
  const environment = inherited();
  const path = environment["PATH"] ?? "";
  const bin = join(folder, ".bin");
  await mkdir(bin, { recursive: true });
  await writeFile(join(bin, "npm"), npmScript(help, path));
  await chmod(join(bin, "npm"), 0o755);
  return { ...environment, PATH: bin + delimiter + path };
};
