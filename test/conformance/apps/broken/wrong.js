// Fails while it loads, unless told otherwise.
if (process.env.TWICE !== "yes") throw new TypeError("nothing works here");
