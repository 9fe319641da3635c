/** Elements of a page by selector, as what they are; the pages are ours, so that one that is missing is a mistake. */

type Kind<E extends Element> = new () => E;

export const all = <E extends Element>(
  within: ParentNode,
  selector: string,
  kind: Kind<E>,
): readonly E[] =>
  [...within.querySelectorAll(selector)].filter((found): found is E => found instanceof kind);

export const maybe = <E extends Element>(
  within: ParentNode,
  selector: string,
  kind: Kind<E>,
): E | undefined => all(within, selector, kind)[0];

export const one = <E extends Element>(within: ParentNode, selector: string, kind: Kind<E>): E => {
  const found = maybe(within, selector, kind);
  if (found === undefined) throw new Error(`This page has no ${selector}.`);
  return found;
};

/** A new element with what it holds. */
export const element = <Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  className: string,
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] => {
  const made = document.createElement(name);
  made.className = className;
  made.append(...children);
  return made;
};
