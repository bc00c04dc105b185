// The house rules, checked on the source itself: names, sizes, ids, form.
// (`tidy-imports.test.ts`: who may import what.)

import assert from 'node:assert/strict';
import { SourceMap, stripTypeScriptTypes } from 'node:module';
import { basename } from 'node:path';
import { describe, test } from 'node:test';
import { type AnyNode, parse } from 'acorn';
import { transformSync } from 'esbuild';
import {
  assertNone,
  findSharedFileNames,
  findSharedNames,
  isTest,
  parseSource,
  readSources,
  type Source,
} from './source-files.ts';

const LINES_PER_FILE_MAX = 400;
/** Texts for people in one place, so that another language is one other file: a list, no code. */
const LISTS_OF_TEXTS: ReadonlySet<string> = new Set(['console/src/texts.ts']);
const LINES_PER_FUNCTION_MAX = 70;
const COLUMNS_MAX = 100;

/** Where text becomes an id (src/model/ids.ts): parsers, decoders, the store's columns, tests. */
const ID_MAKERS: ReadonlySet<string> = new Set([
  'src/access/verify-wallet.ts',
  'src/amm/concentrated/concentrated-kind.ts',
  'src/chains/evm/blocks/parse-block.ts',
  'src/chains/evm/blocks/parse-logs.ts',
  'src/chains/evm/blocks/scan-block.ts',
  'src/chains/evm/blocks/scan-logs.ts',
  'src/chains/evm/evm-ids.ts',
  'src/chains/evm/hex-data.ts',
  'src/chains/solana/solana-ids.ts',
  'src/market/search/packed-addresses.ts',
  'src/store/tables/column-value.ts',
  'test/test-ids.ts',
]);

const sources = readSources(['src/**/*.ts']);
const everything = readSources([
  '{src,test,bench,docs,devnet,examples,console,sdk}/**/*.ts',
  'console/**/*.tsx',
]);

/** Each program has a file that starts it. */
const FILE_NAMES_TO_SHARE: ReadonlySet<string> = new Set(['main.ts']);

describe('names', () => {
  test('no two files have the same name', () => {
    assertNone(findSharedFileNames(everything, FILE_NAMES_TO_SHARE));
  });

  test('no two types and no two exported functions have the same name', () => {
    assertNone(findSharedNames(everything));
  });

  test('the search finds shared names of files, types and functions', () => {
    const files = [
      parseSource('src/a/main.ts', 'interface Scene {}\nexport type One = 1;\n'),
      parseSource('src/b/main.ts', 'type Scene = 1;\nexport function run() {}\n'),
      parseSource('src/a/keys.ts', 'export class Two {}\nexport async function run() {}\n'),
      parseSource('test/keys.ts', 'interface Scene {}\nexport interface One {}\nclass Two {}\n'),
      parseSource('src/store/migrations/0001-a.ts', 'interface Scene {}\n'),
    ];
    assert.deepEqual(findSharedFileNames(files, FILE_NAMES_TO_SHARE), [
      'keys.ts: src/a/keys.ts, test/keys.ts',
    ]);
    assert.deepEqual(findSharedNames(files), [
      'One: src/a/main.ts, test/keys.ts',
      'Scene: src/a/main.ts, src/b/main.ts',
      'run: src/b/main.ts, src/a/keys.ts',
    ]);
  });

  test('a test is named for the behaviour it shows, without a prefix', () => {
    const prefixed =
      /\b(?:test|it|describe|suite)(?:\.\w+)?\(\s*['"`](?:behaviou?r|default|property):/;
    assertNone(everything.filter((one) => prefixed.test(one.text)).map((one) => one.path));
  });
});

interface PlainCode {
  readonly code: string;
  /** The line of the source that a line and column of the code, both from 0, come from. */
  readonly findLine: (line: number, column: number) => number;
}

/** A file without types and JSX. Types are blanked in place; JSX is compiled. */
function toPlainCode({ path, text }: Source): PlainCode {
  if (!path.endsWith('.tsx')) {
    return { code: stripTypeScriptTypes(text.replace(/^#!.*/, '')), findLine: (line) => line };
  }
  const { code, map } = transformSync(text, { loader: 'tsx', jsx: 'automatic', sourcemap: true });
  const lines = new SourceMap(JSON.parse(map));
  const findLine = (line: number, column: number) => {
    const entry = lines.findEntry(line, column);
    return 'originalLine' in entry ? entry.originalLine : line;
  };
  return { code, findLine };
}

/** Every function of a file with its length in lines. */
function findFunctions(source: Source): { name: string; line: number; length: number }[] {
  const { code, findLine } = toPlainCode(source);
  const found: { name: string; line: number; length: number }[] = [];
  function visit(node: AnyNode): void {
    if (/Function/.test(node.type) && node.loc) {
      const name = 'id' in node && node.id && 'name' in node.id ? String(node.id.name) : 'function';
      const { start, end } = node.loc;
      const first = findLine(start.line - 1, start.column);
      const last = findLine(end.line - 1, end.column - 1);
      found.push({ name, line: first + 1, length: last - first + 1 });
    }
    for (const value of Object.values(node)) {
      for (const child of Array.isArray(value) ? value : [value]) {
        if (child && typeof child === 'object' && typeof child.type === 'string') visit(child);
      }
    }
  }
  visit(parse(code, { ecmaVersion: 'latest', sourceType: 'module', locations: true }));
  return found;
}

describe('size', () => {
  test(`files have at most ${LINES_PER_FILE_MAX} lines`, () => {
    assertNone(
      everything
        .filter((source) => source.lines.length > LINES_PER_FILE_MAX + 1)
        .filter((source) => !LISTS_OF_TEXTS.has(source.path))
        .map((source) => `${source.path}: ${source.lines.length}`),
    );
  });

  test(`functions have at most ${LINES_PER_FUNCTION_MAX} lines`, () => {
    const breaches = everything.flatMap((source) =>
      findFunctions(source)
        // A suite is a list of tests, not a function to be understood at once.
        .filter((one) => one.length > LINES_PER_FUNCTION_MAX)
        .filter((one) => !/^\s*(describe|suite)\b/.test(source.lines[one.line - 1] ?? ''))
        .map((one) => `${source.path}:${one.line} ${one.name}: ${one.length}`),
    );
    assertNone(breaches);
  });

  test('functions are measured in lines of the source, JSX included', () => {
    const text = [
      'interface Props { readonly a: string }',
      'export function Part({ a }: Props) {',
      '  return (',
      '    <b title={a}>',
      '      {[a].map((one) => <i key={one}>{one}</i>)}',
      '    </b>',
      '  );',
      '}',
      '',
    ].join('\n');
    const [part] = findFunctions(parseSource('console/src/part.tsx', text));
    assert.deepEqual(part, { name: 'Part', line: 2, length: 7 });
  });

  test(`lines have at most ${COLUMNS_MAX} columns: comments here, code by the formatter`, () => {
    const breaches = everything.flatMap((source) =>
      source.lines
        .map((text, index) => ({ text, at: `${source.path}:${index + 1}` }))
        .filter(({ text }) => text.length > COLUMNS_MAX && /^\s*(\/\/|\/?\*+\s)/.test(text))
        .map(({ at }) => at),
    );
    assertNone(breaches);
  });
});

/** The names that a file calls or awaits at its top level. */
function findTopLevelWork(source: Source): { calls: Set<string>; awaits: number } {
  const calls = new Set<string>();
  let awaits = 0;
  function visit(node: AnyNode): void {
    if (/Function/.test(node.type)) return;
    if (node.type === 'AwaitExpression') awaits += 1;
    if (node.type === 'CallExpression' && node.callee.type === 'Identifier') {
      calls.add(node.callee.name);
    }
    for (const value of Object.values(node)) {
      for (const child of Array.isArray(value) ? value : [value]) {
        if (child && typeof child === 'object' && typeof child.type === 'string') visit(child);
      }
    }
  }
  const code = stripTypeScriptTypes(source.text);
  visit(parse(code, { ecmaVersion: 'latest', sourceType: 'module' }));
  return { calls, awaits };
}

describe('test files', () => {
  const tests = everything.filter(isTest);

  test('nothing is awaited at the top, so a run of one test starts no more', () => {
    assertNone(tests.filter((one) => findTopLevelWork(one).awaits > 0).map((one) => one.path));
  });

  test('hooks at the top are those of root-hooks.ts, so a run of one test ends', () => {
    const takesHooks = /^import \{[^}]*\b(before|after)\b[^}]*\} from 'node:test'/m;
    assertNone(
      tests
        .filter((one) => takesHooks.test(one.text) && findTopLevelWork(one).calls.has('before'))
        .map((one) => one.path),
    );
  });
});

/** Lines that cast to an id, or claim by a predicate that something is one. */
function findIdCasts(source: Source): string[] {
  const ids = source.imports
    .filter(({ from }) => from.endsWith('/ids.ts'))
    .flatMap(({ names }) => names ?? [])
    .filter((name) => /^(Address|[A-Z]\w*Id)$/.test(name));
  if (ids.length === 0) return [];
  const cast = new RegExp(`\\b(as|is) (readonly )?(${ids.join('|')})\\b`);
  return source.lines.flatMap((line, index) =>
    cast.test(line) && !/^\s*(\/\/|\/?\*)/.test(line) ? [`${source.path}:${index + 1}`] : [],
  );
}

describe('ids', () => {
  test('text is cast to an id only where ids are made', () => {
    assertNone(everything.filter(({ path }) => !ID_MAKERS.has(path)).flatMap(findIdCasts));
  });

  test('every file that may make ids does', () => {
    const idle = everything.filter(
      (one) => ID_MAKERS.has(one.path) && !/\bas [A-Z]/.test(one.text),
    );
    assertNone(idle.map(({ path }) => path));
  });

  test('casts are found by the names that a file imports', () => {
    const text = "import type { Address, PoolId } from '../model/ids.ts';\n";
    const find = (line: string) => findIdCasts(parseSource('src/lib/a.ts', `${text}${line}\n`));
    assert.deepEqual(find('const a = text as Address;'), ['src/lib/a.ts:2']);
    assert.deepEqual(find('const a = list as PoolId[];'), ['src/lib/a.ts:2']);
    assert.deepEqual(find('function isOne(text: string): text is PoolId {'), ['src/lib/a.ts:2']);
    assert.deepEqual(find('// Text is Address.'), []);
    assert.deepEqual(find('const a = text as TransactionId;'), []);
  });
});

describe('form', () => {
  test('no default exports', () => {
    assertNone(
      everything.filter((one) => /^export default\b/m.test(one.text)).map((one) => one.path),
    );
  });

  test('only the configuration reads the environment', () => {
    assertNone(
      sources
        .filter((one) => one.text.includes('process.env') && one.path !== 'src/config.ts')
        .map((one) => one.path),
    );
  });

  test('every file opens with a line that says its job', () => {
    assertNone(
      everything.filter((one) => !/^(#!.*\n)?\/\/ \S/.test(one.text)).map((one) => one.path),
    );
  });

  test('names are kebab-case, and no drawer collects leftovers', () => {
    const leftovers = new Set(['utils', 'util', 'helpers', 'helper', 'manager', 'common', 'misc']);
    assertNone(
      everything
        .map((one) => one.path)
        .filter((path) => {
          const name = basename(path).replace(/(\.(test|gen))?\.tsx?$/, '');
          return !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name) || leftovers.has(name) || name === 'index';
        }),
    );
  });

  test('nothing is left over', () => {
    const marks = new RegExp(['TO' + 'DO', 'FIX' + 'ME', 'XX' + 'X', 'HA' + 'CK'].join('|'));
    assertNone(everything.filter((one) => marks.test(one.text)).map((one) => one.path));
  });
});
