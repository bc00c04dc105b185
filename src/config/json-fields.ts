// Reads the fields of a JSON object that a person wrote, and notes every problem with its path
// instead of stopping at the first.

import { SettingProblem } from './setting.ts';

type ParseValue<T> = (value: unknown, path: string) => T;

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export class JsonFields {
  readonly path: string;
  readonly #fields: Readonly<Record<string, unknown>>;
  readonly #problems: string[];
  readonly #read = new Set<string>();

  constructor(value: unknown, path: string, problems: string[]) {
    this.path = path;
    this.#problems = problems;
    this.#fields = isObject(value) ? value : {};
    if (!isObject(value)) this.note(null, 'must be an object');
  }

  /** Adds a problem of a field; null for the object itself. */
  note(key: string | null, problem: string): void {
    this.#problems.push(`${this.#toPath(key) || 'the file'} ${problem}`);
  }

  get keys(): readonly string[] {
    return Object.keys(this.#fields);
  }

  has(key: string): boolean {
    return Object.hasOwn(this.#fields, key);
  }

  /** After a problem the result is null, whatever its type says: it must not be used. */
  read<T>(key: string, parse: ParseValue<T>): T {
    this.#read.add(key);
    if (!this.has(key)) {
      this.note(key, 'is missing');
      return null as T;
    }
    try {
      return parse(this.#fields[key], this.#toPath(key));
    } catch (error) {
      if (!(error instanceof SettingProblem)) throw error;
      this.note(key, error.message);
      return null as T;
    }
  }

  /** Null counts as absent. */
  readOr<T>(key: string, parse: ParseValue<T>, fallback: T): T {
    this.#read.add(key);
    return (this.#fields[key] ?? null) === null ? fallback : this.read(key, parse);
  }

  /** Absent is empty; an item with a problem is null. */
  readList<T>(key: string, parse: ParseValue<T>): (T | null)[] {
    const items = this.readOr<readonly unknown[]>(key, parseArray, []) ?? [];
    return items.map((item, index) => {
      try {
        return parse(item, `${this.#toPath(key)}.${index}`);
      } catch (error) {
        if (!(error instanceof SettingProblem)) throw error;
        this.note(`${key}.${index}`, error.message);
        return null;
      }
    });
  }

  /** Call it last: the fields that nobody has read are mistakes. */
  refuseOthers(): void {
    for (const key of this.keys) {
      if (!this.#read.has(key)) this.note(key, 'is not a known field');
    }
  }

  #toPath(key: string | null): string {
    return [this.path, key].filter((part) => part !== null && part !== '').join('.');
  }
}

function parseArray(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new SettingProblem('must be a list');
  return value;
}
