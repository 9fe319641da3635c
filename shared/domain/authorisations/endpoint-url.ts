/** Which addresses may be an affiliate's: https everywhere, http on this machine alone. */

export const endpointCharactersMax = 2_048;

const loopbackHost = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Node writes each host in one way: in small letters, addresses without leading zeros. */
export const isLoopbackUrl = ({ hostname }: URL): boolean => loopbackHost.test(hostname);

/** An address with credentials in it would be written into logs; a fragment reaches nobody. */
export const isEndpointUrl = (text: string): boolean => {
  if (text.length > endpointCharactersMax || !URL.canParse(text)) return false;
  const url = new URL(text);
  if (url.username !== "" || url.password !== "" || url.hash !== "") return false;
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopbackUrl(url));
};
