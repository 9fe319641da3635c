/** The Chromium of the development dependencies, unpacked once per checkout, and how it is started. */
import { execFile } from "node:child_process";
import { createReadStream, createWriteStream, existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { createBrotliDecompress } from "node:zlib";
import { chromium, type Browser } from "playwright-core";

const { resolve } = createRequire(import.meta.url);
const packed = join(dirname(resolve("@sparticuz/chromium")), "../../bin");
const fonts = dirname(resolve("dejavu-fonts-ttf/ttf/DejaVuSans.ttf"));
const cache = join(import.meta.dirname, "../../../node_modules/.cache");
const home = join(cache, "chromium");

const unpack = async (name: string, target: string, mode: number): Promise<void> =>
  pipeline(
    createReadStream(join(packed, name), { highWaterMark: 1 << 20 }),
    createBrotliDecompress(),
    createWriteStream(target, { mode }),
  );

const preferred = (family: string, font: string): string =>
  `<alias><family>${family}</family><prefer><family>${font}</family></prefer></alias>`;

/** Machines without any font stop it, and it reads nothing else of the system's. */
const fontSettings = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${fonts}</dir>
  <cachedir>${join(home, "font-cache")}</cachedir>
  ${preferred("sans-serif", "DejaVu Sans")}
  ${preferred("system-ui", "DejaVu Sans")}
  ${preferred("monospace", "DejaVu Sans Mono")}
</fontconfig>
`;

/** In a folder of its own first: who comes meanwhile finds it whole or not at all. */
const unpackAll = async (): Promise<void> => {
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, "chromium-"));
  await Promise.all([
    unpack("chromium.br", join(folder, "chromium"), 0o755),
    unpack("al2023.tar.br", join(folder, "libraries.tar"), 0o644),
  ]);
  await promisify(execFile)("tar", ["-xf", join(folder, "libraries.tar"), "-C", folder]);
  await rm(join(folder, "libraries.tar"));
  await rename(folder, home).catch(async (error: unknown) => {
    await rm(folder, { recursive: true });
    if (!existsSync(home)) throw error;
  });
};

/** Why it cannot run here; undefined where it can. */
export const whyNoChromium = (): string | undefined =>
  process.platform === "linux" && process.arch === "x64"
    ? undefined
    : "the package's Chromium runs on Linux on x64 alone";

export const launchChromium = async (): Promise<Browser> => {
  if (!existsSync(home)) await unpackAll();
  await writeFile(join(home, "fonts.conf"), fontSettings);
  return chromium.launch({
    executablePath: join(home, "chromium"),
    args: ["--no-sandbox", "--headless=shell", "--disable-gpu", "--disable-dev-shm-usage"],
    env: {
      ...process.env,
      FONTCONFIG_FILE: join(home, "fonts.conf"),
      LD_LIBRARY_PATH: join(home, "lib"),
    },
  });
};
