// A reply with a long list, which is read from its bytes, or parsed in parts. Of eight thousand
// logs `JSON.parse` makes ten megabytes of objects at once: they outlive several collections, each
// of which copies them. Of a part, what is not kept is gone before the next one.

import type { ValueBytes } from './json-bytes.ts';

/** A part: some hundreds of logs. */
const PART_BYTES = 256 * 1024;
const LIST_START = '"result":[';
/** What comes before the list: a version and an id. */
const HEAD_BYTES = 200;
const BETWEEN = '},{';

/** A list of which a caller reads either. */
export interface ListItems {
  /** The items in order, parsed as they are asked for. */
  readonly parts: Iterable<unknown>;
  /** The same as they came, without the list's brackets. Null if the reply is short. */
  readonly bytes: ValueBytes | null;
}

interface ListReply extends ListItems {
  /** The reply with an empty list. */
  readonly envelope: string;
}

/** The text was cut within an item: it must be parsed as a whole. */
export class ListSplitError extends Error {
  override readonly name = 'ListSplitError';
}

/**
 * A cut within an item leaves a part with an open bracket or an open text, which is no JSON: no
 * part is ever read as something else than it is.
 */
function parsePart(text: string): unknown {
  try {
    return JSON.parse(`[${text}]`);
  } catch {
    throw new ListSplitError('the list was cut within an item');
  }
}

function* parseParts({ body, start, end }: ValueBytes): Generator<unknown> {
  let from = start;
  while (from < end) {
    const cut = body.indexOf(BETWEEN, from + PART_BYTES);
    const to = cut < 0 || cut >= end ? end : cut + 1;
    yield parsePart(body.toString('utf8', from, to));
    from = to + 1;
  }
}

/** Null if the reply is short, or no list. */
export function splitListReply(body: Buffer): ListReply | null {
  if (body.length <= PART_BYTES) return null;
  const at = body.subarray(0, HEAD_BYTES).indexOf(LIST_START);
  if (at < 0) return null;
  const start = at + LIST_START.length;
  const end = body.lastIndexOf(']');
  const bytes = { body, start, end };
  return {
    envelope: body.toString('utf8', 0, start) + body.toString('utf8', end),
    parts: { [Symbol.iterator]: () => parseParts(bytes) },
    bytes,
  };
}
