/** Finds the function that serves a request: the first one by name whose template fits. */
import {
  matchTemplate,
  parseTemplate,
  type PathParts,
  type RouteParameters,
  type Segment,
} from "./route-template.js";

export interface RouteEntry<T> {
  readonly methods: readonly string[];
  readonly template: string;
  readonly target: T;
}

export interface RouteMatch<T> {
  readonly target: T;
  readonly params: RouteParameters;
}

interface Compiled<T> {
  readonly segments: readonly Segment[];
  readonly target: T;
}

/** One step of a path. The tree only narrows the choice; the template itself decides. */
class RouteNode {
  readonly literals = new Map<string, RouteNode>();
  wildcard: RouteNode | undefined;
  /** Positions of routes that may end here. */
  readonly ends: number[] = [];
  /** Positions of routes that take whatever follows. */
  readonly rests: number[] = [];

  add(segments: readonly Segment[], depth: number, position: number): void {
    const segment = segments[depth];
    if (segment === undefined) {
      this.ends.push(position);
      return;
    }
    if (segment.kind === "parameter") {
      if (segment.catchAll) {
        this.rests.push(position);
        return;
      }
      if (segment.optional || segment.defaultValue !== undefined) this.ends.push(position);
    }
    this.#child(segment).add(segments, depth + 1, position);
  }

  #child(segment: Segment): RouteNode {
    if (segment.kind !== "literal") return (this.wildcard ??= new RouteNode());
    const known = this.literals.get(segment.text);
    if (known !== undefined) return known;
    const made = new RouteNode();
    this.literals.set(segment.text, made);
    return made;
  }

  collect(parts: readonly string[], depth: number, into: number[]): void {
    if (this.rests.length > 0) into.push(...this.rests);
    const part = parts[depth];
    if (part === undefined) {
      if (this.ends.length > 0) into.push(...this.ends);
      return;
    }
    const literal = this.literals.get(part) ?? this.literals.get(part.toLowerCase());
    literal?.collect(parts, depth + 1, into);
    this.wildcard?.collect(parts, depth + 1, into);
  }
}

/** `/a/b/` has the parts a and b and a trailing slash; the root has no part. */
export const splitPath = (path: string): PathParts => {
  const trailingSlash = path.length > 1 && path.endsWith("/");
  const inner = path.slice(1, trailingSlash ? -1 : undefined);
  return { parts: inner === "" && !trailingSlash ? [] : inner.split("/"), trailingSlash };
};

export class RouteTable<T> {
  readonly #routes: Compiled<T>[] = [];
  readonly #roots = new Map<string, RouteNode>();

  /** `entries` in the order in which they are tried. */
  constructor(entries: readonly RouteEntry<T>[]) {
    for (const { methods, template, target } of entries) {
      const segments = parseTemplate(template);
      const position = this.#routes.push({ segments, target }) - 1;
      for (const method of new Set(methods)) {
        const root = this.#roots.get(method) ?? new RouteNode();
        this.#roots.set(method, root);
        root.add(segments, 0, position);
      }
    }
  }

  find(method: string, path: string): RouteMatch<T> | undefined {
    const root = this.#roots.get(method);
    if (root === undefined) return undefined;
    const split = splitPath(path);
    const candidates: number[] = [];
    root.collect(split.parts, 0, candidates);
    if (candidates.length > 1) candidates.sort((a, b) => a - b);
    for (const position of candidates) {
      const route = this.#routes[position];
      if (route === undefined) continue;
      const params = matchTemplate(route.segments, split);
      if (params !== null) return { target: route.target, params };
    }
    return undefined;
  }
}
