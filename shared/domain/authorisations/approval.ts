/** What the response codes of ISO 8583, field 39, mean to the platform. */

export const approvalCode = "00";

export const isApproval = ({ responseCode }: { readonly responseCode: string }): boolean =>
  responseCode === approvalCode;

/** The issuer cannot be reached, or does not work: it has not taken what it was told. */
export const isHeard = ({ responseCode }: { readonly responseCode: string }): boolean =>
  responseCode !== "91" && responseCode !== "96";
