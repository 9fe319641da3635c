/** The operators' command for dead letters: `npm run dead-letters -- COMMAND`. */
import { runDeadLetters } from "./dead-letters/run-command.js";

process.exitCode = await runDeadLetters(process.argv.slice(2), process.env, {
  print: (text) => console.log(text),
  complain: (text) => console.error(text),
});
