/** What every page has: buttons that copy blocks of code, and the search over all pages. */
import "./site/copy.js";
import "./site/search.js";
