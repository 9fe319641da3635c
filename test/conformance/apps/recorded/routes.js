// Routes that compete, each answering with its label and with what it was given.
import { app } from "@azure/functions";

// One app, recorded twice: with streamed bodies and without.
app.setup({ enableHttpStream: process.env.HTTP_STREAM === "1" });

const answering = (which) => (request) => ({
  jsonBody: {
    which,
    method: request.method,
    url: request.url,
    params: request.params,
    query: [...request.query],
  },
});
const declare = (name, which, options) =>
  app.http(name, { authLevel: "anonymous", handler: answering(which), ...options });

const gets = {
  aInt: ["mix2/{v:int}", "int"],
  bText: ["mix2/{v}", "text"],
  bInt: ["mix3/{v:int}", "int"],
  aText: ["mix3/{v}", "text"],
  intOrText: ["mix/{v}", "text"],
  intOrTextInt: ["mix/{v:int}", "int"],
  aRest: ["deep/{*rest}", "rest"],
  bPart: ["deep/{part}", "part"],
  cLiteral: ["deep/known", "literal"],
  firstOfTwo: ["same/{a}", "first"],
  aSecondOfTwo: ["same/{b}", "second"],
  onlyGet: ["only/get", "onlyGet"],
  splitGet: ["split/{id}", "splitGet"],
  optional: ["opt/{a}/{b?}", "optional"],
  defaulted: ["def/{a=blue}", "defaulted"],
  intOnly: ["n/{n:int}", "int"],
  guidOnly: ["g/{g:guid}", "guid"],
  alphaOnly: ["al/{w:alpha:minlength(2)}", "alpha"],
  restOf: ["rest/{*rest}", "rest"],
  dotted: ["file/{name}.{ext}", "dotted"],
  MixedCase: ["Mixed/CASE/{Id}", "mixed"],
  adminish: ["adminish/x", "adminish"],
  runtimeish: ["runtimeish/x", "runtimeish"],
};
for (const [name, [route, which]] of Object.entries(gets))
  declare(name, which, { route, methods: ["GET"] });

// A literal against a parameter: the order of registration and that of the names, told apart.
const puts = {
  statusLiteral: ["t/{id}/Status", "literal"],
  statusParam: ["t/{id}/{newStatus}", "parameter"],
  zParam: ["u/{id}/{newStatus}", "parameter"],
  aLiteral: ["u/{id}/Status", "literal"],
  aParam: ["w/{id}/{newStatus}", "parameter"],
  zLiteral: ["w/{id}/Status", "literal"],
};
for (const [name, [route, which]] of Object.entries(puts))
  declare(name, which, { route, methods: ["PUT"] });

declare("splitPost", "splitPost", { route: "split/{key}", methods: ["POST"] });
declare("anyOf", "methods", { route: "methods", methods: ["GET", "POST", "HEAD", "OPTIONS"] });
declare("defaultMethods", "defmethods", { route: "defmethods" });
declare("noRouteGiven", "noRoute", { methods: ["GET"] });
declare("keyed", "keyed", { route: "keyed", methods: ["GET"], authLevel: "function" });
declare("adminKeyed", "adminkeyed", { route: "k/admin", methods: ["GET"], authLevel: "admin" });
declare("justGet", "", {
  route: "justget",
  methods: ["GET"],
  handler: () => ({ body: "just get", headers: { "x-seen": "yes" } }),
});
