// Routes that compete with each other, parameters of every kind, keys, settings.
import { app } from "@azure/functions";

app.setup({ enableHttpStream: process.env.STREAMING === "yes" });

const tell = (name) => (request) => ({
  jsonBody: { name, url: request.url, params: request.params, query: [...request.query] },
});
const route = (name, template, more = {}) =>
  app.http(name, { route: template, methods: ["GET"], handler: tell(name), ...more });

route("bShelfTop", "shelf/{row}/top");
route("aShelfAny", "shelf/{row}/{place}");
route("tie_first", "tie/{any}");
route("tieSecond", "tie/{any}");
route("number", "number/{n:int:range(1,500)}");
route("sized", "sized/{word:length(2,4)}");
route("pattern", "pattern/{code:regex(^[a-f]{{2}}/?\\d$)}");
route("maybe", "maybe/{first}/{second?}");
route("filled", "filled/{colour=grey}");
route("rest", "rest/{*tail}");
route("named", "named/{stem}.{ending}");
route("adminRoute", "administration/{x}");
route("keyed", "keyed", { authLevel: "function" });
route("masterKeyed", "master-keyed", { authLevel: "admin" });
route("switchedOff", "switched-off");
route("settings", "settings", {
  handler: () => ({
    jsonBody: { colour: process.env.COLOUR, host: process.env.WEBSITE_HOSTNAME },
  }),
});
