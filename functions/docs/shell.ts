/** The documentation site's frame around every page: header, menu, switch of light and dark, policy. */
import { html, type Html } from "./html.js";

export interface Page {
  readonly title: string;
  /** Where it is served, `/docs/guide`: the header's link to it, or to what is above it, is marked. */
  readonly path: string;
  readonly body: Html;
  /** One sentence for search engines and previews. */
  readonly description?: string;
  /** Names of files of the site (see files.ts), beside the shell's own; scripts run once the page is read. */
  readonly scripts?: readonly string[];
  readonly styles?: readonly string[];
  /** False in production, which has no sandbox to document. */
  readonly hasSandbox: boolean;
}

/** Directives that a page needs otherwise, such as `style-src` for a viewer that writes styles. */
export type Policy = Readonly<Record<string, string>>;

const strictPolicy: Policy = {
  "default-src": "'none'",
  "script-src": "'self'",
  "style-src": "'self'",
  "img-src": "'self'",
  "connect-src": "'self'",
  "base-uri": "'none'",
  "form-action": "'none'",
  "frame-ancestors": "'none'",
};

/** Everything comes from the app itself, and nothing that stands in the page runs. */
export const pageHeaders = (policy: Policy = {}): Readonly<Record<string, string>> => ({
  "Content-Type": "text/html; charset=utf-8",
  "Cache-Control": "no-cache",
  "Content-Security-Policy": Object.entries({ ...strictPolicy, ...policy })
    .map((directive) => directive.join(" "))
    .join("; "),
  "Referrer-Policy": "no-referrer",
});

interface MenuLink {
  readonly path: string;
  readonly text: string;
  readonly isSandbox?: true;
}

const menu: readonly MenuLink[] = [
  { path: "/docs/guide", text: "Guides" },
  { path: "/docs/reference/wallet", text: "Wallet" },
  { path: "/docs/reference/card", text: "Card" },
  { path: "/docs/reference/ticketing", text: "Ticketing" },
  { path: "/docs/reference/sandbox", text: "Sandbox", isSandbox: true },
  { path: "/docs/events", text: "Events" },
];

const menuLink =
  (path: string) =>
  (link: MenuLink): Html => {
    const isHere = path === link.path || path.startsWith(`${link.path}/`);
    const current = isHere ? html` aria-current="${path === link.path ? "page" : "true"}"` : "";
    return html`<a href="${link.path}" ${current}>${link.text}</a>`;
  };

const icon = (drawing: Html): Html =>
  html`<svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true">${drawing}</svg>`;

const menuIcon = icon(html`<path d="M4 7h16M4 12h16M4 17h16" />`);
const searchIcon = icon(html`<circle cx="11" cy="11" r="6.5" /><path d="M16 16l4.5 4.5" />`);
const themeIcon = icon(
  html`<circle cx="12" cy="12" r="8.5" /><path class="half" d="M12 3.5a8.5 8.5 0 0 1 0 17z" />`,
);

export const page = ({
  title,
  path,
  body,
  description,
  scripts = [],
  styles = [],
  hasSandbox,
}: Page): string => {
  const links = menu.filter(({ isSandbox }) => hasSandbox || isSandbox === undefined);
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${path === "/docs" ? title : `${title} · Borsello`}</title>
        ${description === undefined ? "" : html`<meta name="description" content="${description}" />`}
        <link rel="icon" type="image/svg+xml" href="/docs/mark.svg" />
        <link rel="stylesheet" href="/docs/site.css" />
        ${styles.map((file) => html`<link rel="stylesheet" href="/docs/${file}" />`)}
        <script src="/docs/theme.js"></script>
        <script src="/docs/site.js" defer></script>
        ${scripts.map((file) => html`<script src="/docs/${file}" defer></script>`)}
      </head>
      <body>
        <a class="skip" href="#main">Skip to the content</a>
        <header class="bar">
          <a class="brand" href="/docs"
            ><img src="/docs/mark.svg" alt="" width="26" height="26" />Borsello</a
          >
          <nav id="menu" class="menu" popover aria-label="Documentation">
            ${links.map(menuLink(path))}
          </nav>
          <button
            id="search"
            class="open-search"
            type="button"
            aria-label="Search all pages"
            hidden
          >
            ${searchIcon}<span>Search</span><kbd>/</kbd>
          </button>
          <button
            id="theme"
            class="icon"
            type="button"
            aria-label="Light or dark"
            title="Light or dark"
            hidden
          >
            ${themeIcon}
          </button>
          <button class="icon open-menu" type="button" popovertarget="menu" aria-label="Menu">
            ${menuIcon}
          </button>
        </header>
        <main id="main">${body}</main>
      </body>
    </html> `.html;
};
