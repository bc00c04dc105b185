// A reply with a long list, parsed in parts. Of eight thousand logs `JSON.parse` makes ten
// megabytes of objects at once: they outlive several collections, each of which copies them. Of a
// part, what is not kept is gone before the next one.

/** The text of a part: some hundreds of logs. */
const PART_CHARS = 256 * 1024;
const LIST_START = '"result":[';
/** What comes before the list: a version and an id. */
const HEAD_CHARS = 200;
const BETWEEN = '},{';

interface ListReply {
  /** The reply with an empty list. */
  readonly envelope: string;
  /** The items in order, parsed as they are asked for. */
  readonly parts: Iterable<unknown>;
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

function* parseParts(text: string, start: number, end: number): Generator<unknown> {
  let from = start;
  while (from < end) {
    const cut = text.indexOf(BETWEEN, from + PART_CHARS);
    const to = cut < 0 || cut >= end ? end : cut + 1;
    yield parsePart(text.slice(from, to));
    from = to + 1;
  }
}

/** Null if the reply is short, or no list. */
export function splitListReply(text: string): ListReply | null {
  if (text.length <= PART_CHARS) return null;
  const at = text.slice(0, HEAD_CHARS).indexOf(LIST_START);
  if (at < 0) return null;
  const start = at + LIST_START.length;
  const end = text.lastIndexOf(']');
  return {
    envelope: text.slice(0, start) + text.slice(end),
    parts: parseParts(text, start, end),
  };
}
