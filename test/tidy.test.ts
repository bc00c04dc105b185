// The house rules, checked on the source itself: names, ids, form.
// (`tidy-imports.test.ts`: who may import what.)

import assert from 'node:assert/strict';
import { stripTypeScriptTypes } from 'node:module';
import { basename } from 'node:path';
import { describe, test } from 'node:test';
import { type AnyNode, parse } from 'acorn';
import { assertNone, isTest, parseSource, readSources, type Source } from './source-files.ts';

const COLUMNS_MAX = 100;

/** Where text becomes an id (src/model/ids.ts): parsers, decoders, the store's columns, tests. */
const ID_MAKERS: ReadonlySet<string> = new Set([
  'src/access/verify-wallet.ts',
  'src/amm/concentrated/concentrated-kind.ts',
  'src/chains/evm/data/parse-block.ts',
  'src/chains/evm/data/parse-logs.ts',
  'src/chains/evm/data/evm-ids.ts',
  'src/chains/evm/data/hex-data.ts',
  'src/chains/solana/data/solana-ids.ts',
  'src/market/search/packed-addresses.ts',
  'src/store/tables/column-value.ts',
  'test/test-ids.ts',
]);

const sources = readSources(['src/**/*.ts']);
const everything = readSources([
  '{src,test,bench,docs,devnet,examples,console,sdk,release}/**/*.ts',
  'console/**/*.tsx',
]);

describe('names', () => {
  test('a test is named for the behaviour it shows, without a prefix', () => {
    const prefixed =
      /\b(?:test|it|describe|suite)(?:\.\w+)?\(\s*['"`](?:behaviou?r|default|property):/;
    assertNone(everything.filter((one) => prefixed.test(one.text)).map((one) => one.path));
  });
});

describe('width', () => {
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
    const text = "import type { Address, PoolId } from '../src/model/ids.ts';\n";
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
          const name = basename(path).replace(/(\.((long\.)?test|gen))?\.tsx?$/, '');
          return !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name) || leftovers.has(name) || name === 'index';
        }),
    );
  });
});
