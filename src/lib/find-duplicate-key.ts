// Keys that a JSON object gives twice. `JSON.parse` keeps the last one without a word, a proxy or a
// log before us may keep the first, and then both have read different requests.

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** An object or an array that is not closed yet. */
interface Level {
  /** The keys so far; null in arrays. */
  keys: Set<string> | null;
  /** The last key, or how many elements came before this one. */
  at: string | number;
}

/** Where the text that begins at `start` ends: the position of its closing quote. */
function findTextEnd(json: string, start: number): number {
  let end = json.indexOf('"', start + 1);
  for (;;) {
    let first = end;
    while (json.charCodeAt(first - 1) === BACKSLASH) first -= 1;
    // An even number of backslashes are escapes of each other, not of the quote.
    if ((end - first) % 2 === 0) return end;
    end = json.indexOf('"', end + 1);
  }
}

function readKey(json: string, start: number, end: number): string {
  const key = json.slice(start + 1, end);
  return key.includes('\\') ? (JSON.parse(json.slice(start, end + 1)) as string) : key;
}

/**
 * The path of the first key that its object has already, such as `params.name`; null where there is
 * none. The text must be valid JSON. Takes one pass and no recursion, however deep the text is.
 */
export function findDuplicateKey(json: string): string | null {
  const levels: Level[] = [];
  let level: Level | null = null;
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
