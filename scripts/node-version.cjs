// Says in one sentence that Node is too old, before anything runs that it could not read. Loaded ahead of the
// build (`node -r`), which is ahead of everything else. Written so that any Node understands it.
"use strict";
var least = parseInt(require("../package.json").engines.node.replace(/\D+/, ""), 10);
var found = process.versions.node;
if (parseInt(found, 10) < least) {
  console.error(
    "Borsello needs Node.js " +
      least +
      " or newer, and this is " +
      found +
      ": install one from" +
      " https://nodejs.org (or by `nvm install " +
      least +
      "`), then run `npm ci` and this command again.",
  );
  process.exit(1);
}
