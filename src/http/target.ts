// The path and the query of a request target.

import { BoundedMap } from '../lib/bounded-map.ts';

export interface RequestTarget {
  /** The path without its query. */
  readonly path: string;
  /** The query text without its question mark; null when there is no question mark. */
  readonly query: string | null;
}

const TARGETS_KEPT = 1000;
const KEPT_LENGTH_MAX = 512;

/** A proxy may send an absolute URL as the target; only its path and query count. */
function toOriginForm(target: string): string {
  return target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?]*/i, '');
}

function parseTarget(text: string): RequestTarget {
  const url = toOriginForm(text);
  const question = url.indexOf('?');
  if (question < 0) return { path: url, query: null };
  return { path: url.slice(0, question), query: url.slice(question + 1) };
}

/**
 * Targets repeat, so the last ones are cached, with strings that are already hashed for map
 * lookups.
 */
export function createTargetReader(): (text: string) => RequestTarget {
  const kept = new BoundedMap<string, RequestTarget>(TARGETS_KEPT);
  return (text) => {
    const known = kept.get(text);
    if (known !== undefined) return known;
    const target = parseTarget(text);
    if (text.length <= KEPT_LENGTH_MAX) kept.set(text, target);
    return target;
  };
}
