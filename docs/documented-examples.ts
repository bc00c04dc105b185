// Finds the examples in the documents, runs them as a reader would, and compares the responses.
//
// An example is a `sh` block with a curl to http://localhost:8080, right before a `json` block.

import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface DocumentedExample {
  /** File and line, for error messages. */
  readonly place: string;
  readonly file: string;
  readonly command: string;
  readonly shown: unknown;
  /** Where the shown response is in the file. */
  readonly start: number;
  readonly end: number;
}

export interface ExampleSetting {
  /** `http://127.0.0.1:<port>` of a service with the devnet. */
  readonly origin: string;
  /** The environment of the commands: `TOKEN`, `KEY` and so on. */
  readonly env: Readonly<Record<string, string>>;
}

const EXAMPLE = /```sh\n([^`]*?)```\n+```json\n(.*?)```/gs;
const LOCAL = /http:\/\/(?:localhost|127\.0\.0\.1):8080/g;

export function findExamples(file: string, text: string): DocumentedExample[] {
  return [...text.matchAll(EXAMPLE)].flatMap((match) => {
    const [whole, command = '', answer = ''] = match;
    if (!command.includes('curl ') || !/:8080\/v1\//.test(command)) return [];
    const place = `${file}:${text.slice(0, match.index).split('\n').length}`;
    const start = match.index + whole.lastIndexOf(answer);
    let shown: unknown;
    try {
      shown = JSON.parse(answer);
    } catch {
      throw new Error(`${place}: the shown answer is not JSON`);
    }
    return [{ place, file, command, shown, start, end: start + answer.length }];
  });
}

export function readDocumentedExamples(): DocumentedExample[] {
  const files = ['README.md', ...globSync('docs/**/*.md').sort()];
  return files.flatMap((file) => findExamples(file, readFileSync(file, 'utf8')));
}

/** What the command prints, which must be JSON. */
export async function runExample(
  example: Pick<DocumentedExample, 'command' | 'place'>,
  setting: ExampleSetting,
): Promise<unknown> {
  const command = example.command.replace(LOCAL, setting.origin);
  const env = { ...process.env, ...setting.env };
  const { stdout } = await run('sh', ['-ec', command], { env, timeout: 30_000 });
  try {
    return JSON.parse(stdout);
  } catch {
    throw new Error(`${example.place}: the answer is not JSON: ${stdout.slice(0, 300)}`);
  }
}

function nameKind(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** How the form of what is shown differs from what is real; values do not matter. */
export function compareForms(shown: unknown, real: unknown, path = '$'): string[] {
  const [documented, found] = [nameKind(shown), nameKind(real)];
  // What may be unknown is null today and something tomorrow.
  if (documented === 'null' || found === 'null') return [];
  if (documented !== found) return [`${path} is documented as ${documented} but is ${found}`];
  if (Array.isArray(shown) && Array.isArray(real)) return compareLists(shown, real, path);
  if (documented !== 'object') return [];
  const [a, b] = [shown as Record<string, unknown>, real as Record<string, unknown>];
  return [
    ...Object.keys(a).flatMap((key) =>
      key in b
        ? compareForms(a[key], b[key], `${path}.${key}`)
        : [`${path}.${key} is documented but missing`],
    ),
    ...Object.keys(b)
      .filter((key) => !(key in a))
      .map((key) => `${path}.${key} is present but not documented`),
  ];
}

/** Lists are cut short when they are shown: each entry must be like one of the real ones. */
function compareLists(shown: readonly unknown[], real: readonly unknown[], path: string): string[] {
  if (shown.length > 0 && real.length === 0)
    return [`${path} is documented with entries but is empty`];
  return shown.flatMap((entry, index) => {
    const differences = real.map((one) => compareForms(entry, one, `${path}[${index}]`));
    if (differences.some((list) => list.length === 0)) return [];
    return differences[0] ?? [];
  });
}

/** Limits are out of the way where examples are run; what is shown of them stays. */
const LIMIT_KEYS = new Set(['perMinute', 'burst']);

/** The real answer with its lists as long as they are shown, and secrets left out. */
export function cutLike(shown: unknown, real: unknown): unknown {
  if (typeof real === 'string') return hideVarying(real);
  if (Array.isArray(real)) {
    // What is shown empty stays so: warnings come and go.
    const model = Array.isArray(shown) ? shown : real.slice(0, 1);
    return real.slice(0, model.length).map((one, index) => cutLike(model[index], one));
  }
  if (typeof real !== 'object' || real === null) return real;
  const model = nameKind(shown) === 'object' ? (shown as Record<string, unknown>) : {};
  return Object.fromEntries(
    Object.entries(real).map(([key, value]) => [
      key,
      LIMIT_KEYS.has(key) ? (model[key] ?? value) : cutLike(model[key], value),
    ]),
  );
}

function hideVarying(text: string): string {
  const secret = /^(mw_(?:live|sess)_)\w{20,}$/.exec(text)?.[1];
  if (secret !== undefined) return `${secret}…`;
  // Ports are free ones here; a reader has these.
  if (/^http:\/\/127\.0\.0\.1:\d+$/.test(text)) return 'http://127.0.0.1:8545';
  return text.replace(/\b127\.0\.0\.1:\d+\b/g, '127.0.0.1:8080');
}
