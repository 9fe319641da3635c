/** The application's name and version, as diagnostics and documents give them. */

export const applicationName = "borsello";
/** A test holds it to package.json. */
export const applicationVersion = "0.1.0";
