/** The operators' command for partners: `npm run partner -- COMMAND`. */
import { runCommand } from "./partner/run-command.js";

process.exitCode = await runCommand(process.argv.slice(2), process.env, {
  print: (text) => console.log(text),
  complain: (text) => console.error(text),
});
