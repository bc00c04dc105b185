// Walks over JSON as bytes without making values of it. Those that walk return where the value
// ends, or -1 if they cannot read it: then the text is left to `JSON.parse`.

const [QUOTE, COMMA, COLON, BACKSLASH] = [34, 44, 58, 92];
const [LIST_START, LIST_END, OBJECT_START, OBJECT_END] = [91, 93, 123, 125];

const NAMES = ['null', 'true', 'false'].map((name) => Buffer.from(name));
const NUMBER_CHARS: ReadonlySet<number> = new Set(Buffer.from('0123456789+-.eE'));
/** Control characters below this must be escaped in JSON strings. */
const SPACE = 32;

/** Where a value is in a reply. */
export interface ValueBytes {
  readonly body: Buffer;
  readonly start: number;
  readonly end: number;
}

export function startsWithBytes(bytes: Uint8Array, at: number, expected: Uint8Array): boolean {
  for (let index = 0; index < expected.length; index += 1) {
    if (bytes[at + index] !== expected[index]) return false;
  }
  return true;
}

/** Texts with escapes are left to the parser. */
function skipText(bytes: Uint8Array, start: number): number {
  if (bytes[start] !== QUOTE) return -1;
  for (let at = start + 1; ; at += 1) {
    const code = bytes[at];
    if (code === QUOTE) return at + 1;
    if (code === undefined || code === BACKSLASH || code < SPACE) return -1;
  }
}

/** A number is only known by its characters: whoever needs its value parses it. */
function skipScalar(bytes: Uint8Array, start: number): number {
  for (const name of NAMES) if (startsWithBytes(bytes, start, name)) return start + name.length;
  let at = start;
  while (NUMBER_CHARS.has(bytes[at] ?? 0)) at += 1;
  return at === start ? -1 : at;
}

/** Brackets are counted, not matched: nobody reads what is between them. */
function skipBrackets(bytes: Uint8Array, start: number): number {
  let depth = 0;
  for (let at = start; ; ) {
    const code = bytes[at];
    if (code === QUOTE) {
      at = skipText(bytes, at);
      if (at < 0) return -1;
      continue;
    }
    if (code === undefined) return -1;
    at += 1;
    if (code === OBJECT_START || code === LIST_START) depth += 1;
    if (code === OBJECT_END || code === LIST_END) depth -= 1;
    if (depth === 0) return at;
  }
}

export function skipValue(bytes: Uint8Array, start: number): number {
  const code = bytes[start];
  if (code === QUOTE) return skipText(bytes, start);
  if (code === OBJECT_START || code === LIST_START) return skipBrackets(bytes, start);
  return skipScalar(bytes, start);
}

/**
 * Calls `read` for each member of an object, with where its name and its value start. That returns
 * where the value ends.
 */
export function walkObject(
  bytes: Uint8Array,
  start: number,
  read: (nameAt: number, valueAt: number) => number,
): number {
  if (bytes[start] !== OBJECT_START) return -1;
  if (bytes[start + 1] === OBJECT_END) return start + 2;
  for (let at = start; at >= 0; ) {
    const nameEnd = skipText(bytes, at + 1);
    if (nameEnd < 0 || bytes[nameEnd] !== COLON) return -1;
    at = read(at + 1, nameEnd + 1);
    if (at >= 0 && bytes[at] === OBJECT_END) return at + 1;
    if (bytes[at] !== COMMA) return -1;
  }
  return -1;
}

/** Calls `read` for each item of a list, with where it starts. That returns where it ends. */
export function walkList(bytes: Uint8Array, start: number, read: (at: number) => number): number {
  if (bytes[start] !== LIST_START) return -1;
  if (bytes[start + 1] === LIST_END) return start + 2;
  for (let at = start; at >= 0; ) {
    at = read(at + 1);
    if (at >= 0 && bytes[at] === LIST_END) return at + 1;
    if (bytes[at] !== COMMA) return -1;
  }
  return -1;
}

/** Undefined if it is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function parseBytes({ body, start, end }: ValueBytes): unknown {
  return parseJson(body.toString('utf8', start, end));
}
