// The references once were this very page: links into them still lead there.
if (location.hash.startsWith("#/")) {
  const title = new URLSearchParams(location.search).get("urls.primaryName") ?? "";
  const api = /Card/.test(title) ? "card" : /Ticketing/.test(title) ? "ticketing" : "wallet";
  location.replace(`/docs/reference/${api}${location.hash}`);
}
