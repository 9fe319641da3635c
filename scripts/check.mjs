// What judges the sources without running them, at the same time: types, lint rules, format. Each says what
// it has to say in one piece, and all are heard before any ends the check.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { buffer } from "node:stream/consumers";

const judge = async (script) => {
  const child = spawn("npm", ["run", "-s", script], { stdio: ["ignore", "pipe", "pipe"] });
  const [[code], ...outputs] = await Promise.all([
    once(child, "close"),
    buffer(child.stdout),
    buffer(child.stderr),
  ]);
  process.stdout.write(Buffer.concat(outputs));
  if (code !== 0) console.error(`npm run ${script} failed`);
  return code === 0;
};

const inTurn = async (scripts) => {
  const verdicts = [];
  for (const script of scripts) verdicts.push(await judge(script));
  return verdicts;
};

// Linting takes as long as the other two together.
const verdicts = await Promise.all([inTurn(["lint"]), inTurn(["typecheck", "format:check"])]);
if (verdicts.flat().includes(false)) process.exitCode = 1;
