// Finds duplicate keys in JSON objects. `JSON.parse` silently keeps the last one, while a proxy or
// a log before us may keep the first, so the two would read different requests.

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** An open object or array. */
interface OpenContainer {
  /** The keys so far; null in arrays. */
  keys: Set<string> | null;
  /** The last key, or the index of the current element. */
  at: string | number;
}

/** The position of the closing quote of the string that begins at `start`. */
function findTextEnd(json: string, start: number): number {
  let end = json.indexOf('"', start + 1);
  for (;;) {
    let first = end;
    while (json.charCodeAt(first - 1) === BACKSLASH) first -= 1;
    // An even number of backslashes does not escape the quote.
    if ((end - first) % 2 === 0) return end;
    end = json.indexOf('"', end + 1);
  }
}

function readKey(json: string, start: number, end: number): string {
  const key = json.slice(start + 1, end);
  return key.includes('\\') ? (JSON.parse(json.slice(start, end + 1)) as string) : key;
}

/**
 * The path of the first duplicate key, such as `params.name`; null if there is none. The text must
 * be valid JSON. One pass without recursion, at any depth.
 */
export function findDuplicateKey(json: string): string | null {
  const levels: OpenContainer[] = [];
  let level: OpenContainer | null = null;
  let isKeyNext = false;
  for (let index = 0; index < json.length; index += 1) {
    const code = json.charCodeAt(index);
    if (code === QUOTE) {
      const end = findTextEnd(json, index);
      if (isKeyNext && level?.keys) {
        const key = readKey(json, index, end);
        level.at = key;
        if (level.keys.has(key)) return levels.map(({ at }) => at).join('.');
        level.keys.add(key);
        isKeyNext = false;
      }
      index = end;
    } else if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
      isKeyNext = code === OPEN_OBJECT;
      level = { keys: isKeyNext ? new Set() : null, at: 0 };
      levels.push(level);
    } else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) {
      levels.pop();
      level = levels.at(-1) ?? null;
      isKeyNext = false;
    } else if (code === COMMA && level !== null) {
      if (level.keys === null) level.at = Number(level.at) + 1;
      else isKeyNext = true;
    }
  }
  return null;
}
