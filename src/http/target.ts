// What a request asks for: the path and the query of its target.

import { BoundedMap } from '../lib/bounded-map.ts';

export interface Target {
  /** The path without its query. */
  readonly path: string;
  /** The query text without its question mark; null when there is no question mark. */
  readonly query: string | null;
}

const TARGETS_KEPT = 1000;
const KEPT_LENGTH_MAX = 512;

/** A proxy may send the whole URL as the target; what counts of it is path and query. */
function toOriginForm(target: string): string {
  return target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?]*/i, '');
}

function parseTarget(text: string): Target {
  const url = toOriginForm(text);
  const question = url.indexOf('?');
  if (question < 0) return { path: url, query: null };
  return { path: url.slice(0, question), query: url.slice(question + 1) };
}

/** Targets repeat: the last ones are kept, and with them texts whose look-ups are cheap. */
export function createTargetReader(): (text: string) => Target {
  const kept = new BoundedMap<string, Target>(TARGETS_KEPT);
  return (text) => {
    const known = kept.get(text);
    if (known !== undefined) return known;
    const target = parseTarget(text);
    if (text.length <= KEPT_LENGTH_MAX) kept.set(text, target);
    return target;
  };
}
