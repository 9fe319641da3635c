/** The page at the root: the host's own, since no route of an app reaches it. */

export const hostPage = (functionsCount: number): string => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Local functions host</title></head>
<body>
<h1>Your functions are up and running</h1>
<p>This local host serves ${functionsCount} functions.</p>
</body>
</html>
`;
