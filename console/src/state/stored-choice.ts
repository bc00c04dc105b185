// What this browser keeps between visits. A browser that keeps nothing still works.

/** Null if nothing, or nothing of use, is kept. */
export function readStored<Value>(
  name: string,
  parse: (json: unknown) => Value | null,
): Value | null {
  try {
    return parse(JSON.parse(localStorage.getItem(name) ?? 'null'));
  } catch {
    return null;
  }
}

export function writeStored(name: string, value: unknown): void {
  try {
    localStorage.setItem(name, JSON.stringify(value));
  } catch {
    // Private windows may refuse: then the choice ends with the page.
  }
}
