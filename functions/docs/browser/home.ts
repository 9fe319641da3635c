/** The references once were this very page: links into them still lead there. */
if (location.hash.startsWith("#/")) {
  const title = new URLSearchParams(location.search).get("urls.primaryName") ?? "";
  const api = title.includes("Card")
    ? "card"
    : title.includes("Ticketing")
      ? "ticketing"
      : "wallet";
  location.replace(`/docs/reference/${api}${location.hash}`);
}
