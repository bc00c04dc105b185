// The house rules, checked on the source itself: allowed imports and sizes.

import assert from 'node:assert/strict';
import { stripTypeScriptTypes } from 'node:module';
import { basename } from 'node:path';
import { describe, test } from 'node:test';
import { type AnyNode, parse } from 'acorn';
import {
  findCircles,
  findImportedFiles,
  findSharedFileNames,
  findSharedNames,
  findUnusedExports,
  isTest,
  parseSource,
  readSources,
  type Source,
} from './source-files.ts';

const LINES_PER_FILE_MAX = 400;
const LINES_PER_FUNCTION_MAX = 70;
const COLUMNS_MAX = 100;

/** Layers from the lowest up. A file imports only from lower layers and from its own folder. */
const LAYERS: readonly (readonly string[])[] = [
  ['errors', 'lib', 'model', 'telemetry'],
  ['config', 'contract', 'amm', 'candles'],
  ['store', 'chains', 'live'],
  ['access', 'market', 'trading', 'ingest'],
  ['http', 'mcp'],
  ['compose'],
  ['cli'],
];

/** The same inside the large folders: sub-folders from the lowest up. */
const INNER_LAYERS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'src/trading': [['graph'], ['routing'], ['search', 'safety'], ['quote'], ['build']],
  'src/store': [['tables'], ['migrations', 'market', 'access'], ['sqlite', 'postgres']],
  'src/contract': [['schemas'], ['operations']],
  'src/market': [['lists', 'board'], ['search'], ['stream']],
  'src/ingest': [['state'], ['read', 'apply'], ['commit'], ['adopt'], ['follow'], ['verify']],
};

/** Who may import from the folder of a chain family. */
const FAMILY_IMPORTERS: readonly string[] = [
  'src/compose/chain-families.ts',
  'src/trading/build/ask-node.test.ts',
  'src/trading/safety/stale-safety-on-chain.test.ts',
];

/** Where text becomes an id (src/model/ids.ts): parsers, decoders, the store's columns, tests. */
const ID_MAKERS: ReadonlySet<string> = new Set([
  'src/access/verify-wallet.ts',
  'src/amm/concentrated/concentrated-kind.ts',
  'src/chains/evm/blocks/parse-block.ts',
  'src/chains/evm/blocks/parse-logs.ts',
  'src/chains/evm/evm-ids.ts',
  'src/chains/evm/hex-data.ts',
  'src/chains/solana/solana-family.ts',
  'src/market/search/packed-addresses.ts',
  'src/store/tables/column-value.ts',
  'test/test-ids.ts',
]);

const sources = readSources(['src/**/*.ts']);
const everything = readSources(['{src,test,bench,docs,devnet,examples}/**/*.ts']);

/** The folder below src that a file belongs to, or its own name for files at the top. */
function partOf(path: string): string {
  const [, first = ''] = path.split('/');
  return first.replace(/(\.test)?\.ts$/, '');
}

function layerOf(part: string): number {
  return LAYERS.findIndex((layer) => layer.includes(part));
}

/** Whether an import between two sub-folders of a large folder goes sideways or up. */
function isInnerBreach(from: string, to: string): boolean {
  const [folder, other] = [from, to].map((path) => path.split('/').slice(0, 2).join('/'));
  const layers = INNER_LAYERS[folder ?? ''];
  const [own = '', target = ''] = [from, to].map((path) => path.split('/')[2]);
  if (layers === undefined || folder !== other || own === target) return false;
  const [low, high] = [target, own].map((one) => layers.findIndex((each) => each.includes(one)));
  // Files beside the sub-folders belong to no layer: the search for cycles covers them.
  return low !== -1 && high !== -1 && (low ?? 0) >= (high ?? 0);
}

function assertNone(breaches: readonly string[]): void {
  assert.deepEqual(breaches, []);
}

describe('imports', () => {
  test('every part of src has a place in the layers', () => {
    assertNone([...new Set(sources.map((one) => partOf(one.path)))].filter((p) => layerOf(p) < 0));
  });

  test('imports go down, never sideways or up', () => {
    const breaches = sources
      .filter((source) => !isTest(source))
      .flatMap((source) =>
        [...findImportedFiles(source)]
          .filter((target) => {
            const [from, to] = [partOf(source.path), partOf(target)];
            return !target.startsWith('src/') || (from !== to && layerOf(to) >= layerOf(from));
          })
          .map((target) => `${source.path} → ${target}`),
      );
    assertNone(breaches);
  });

  test('imports between the sub-folders of a large folder go down as well', () => {
    const breaches = sources
      .filter((source) => !isTest(source))
      .flatMap((source) =>
        [...findImportedFiles(source)]
          .filter((target) => isInnerBreach(source.path, target))
          .map((target) => `${source.path} → ${target}`),
      );
    assertNone(breaches);
  });

  test('every sub-folder of a layered folder has a place in its layers', () => {
    const folders = sources.flatMap(({ path }) => {
      const layers = INNER_LAYERS[path.split('/').slice(0, 2).join('/')];
      const [, , folder = '', file] = path.split('/');
      return layers === undefined || file === undefined || layers.flat().includes(folder)
        ? []
        : [path];
    });
    assertNone(folders);
  });

  test('no files import each other in a cycle', () => {
    assertNone(findCircles(sources.filter((source) => !isTest(source))));
  });

  test('cycles are found over several files, also through types', () => {
    const files = [
      parseSource('src/lib/a.ts', "import { b } from './b.ts';\n"),
      parseSource('src/lib/b.ts', "import type { C } from './deep/c.ts';\n"),
      parseSource('src/lib/deep/c.ts', "import { d } from '../d.ts';\nimport '../a.ts';\n"),
      parseSource('src/lib/d.ts', "import { readFileSync } from 'node:fs';\n"),
      parseSource('src/lib/e.ts', "import { a } from './a.ts';\nimport { d } from './d.ts';\n"),
    ];
    assert.deepEqual(findCircles(files), ['src/lib/a.ts ↔ src/lib/b.ts ↔ src/lib/deep/c.ts']);
  });

  test('transports never touch the store or the chains', () => {
    const breaches = sources
      .filter((source) => ['http', 'mcp'].includes(partOf(source.path)) && !isTest(source))
      .flatMap((source) => [...findImportedFiles(source)])
      .filter((target) => ['store', 'chains'].includes(partOf(target)));
    assertNone(breaches);
  });

  test('one file names the chain families, and nothing else imports from them', () => {
    const familyOf = (path: string) => /^src\/chains\/([^/]+)\//.exec(path)?.[1];
    const breaches = sources
      .filter(({ path }) => !FAMILY_IMPORTERS.includes(path))
      .flatMap((source) =>
        [...findImportedFiles(source)]
          .filter((target) => ![undefined, familyOf(source.path)].includes(familyOf(target)))
          .map((target) => `${source.path} → ${target}`),
      );
    assertNone(breaches);
  });

  test('only compose names an engine', () => {
    const breaches = sources
      .filter((source) => !isTest(source) && !/^src\/(store|compose)/.test(source.path))
      .flatMap((source) =>
        [...findImportedFiles(source)]
          .filter((target) => /^src\/store\/(sqlite|postgres)\//.test(target))
          .map((target) => `${source.path} → ${target}`),
      );
    assertNone(breaches);
  });
});

describe('exports', () => {
  test('a name is exported because another file imports it', () => {
    assertNone(findUnusedExports(everything));
  });

  test('the search distinguishes unused names from names that only tests use', () => {
    const files = [
      parseSource('src/lib/one.ts', 'export const a = 1;\nexport const b = 2;\nlet x = b;\n'),
      parseSource('src/lib/two.ts', 'export type C = 1;\nexport function d() {}\n// d\n'),
      parseSource('src/lib/three.ts', "import type { C as D } from './two.ts';\n"),
      parseSource('src/lib/two.test.ts', "import {\n  b,\n} from './one.ts';\n"),
      parseSource('test/four.ts', "import { d } from '../src/lib/two.ts';\n"),
    ];
    assert.deepEqual(findUnusedExports(files), [
      'src/lib/one.ts: nothing imports a',
      'src/lib/two.ts: only tests use d',
    ]);
  });
});

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

/** Every function of a file with its length in lines; types are blanked in place first. */
function findFunctions(source: Source): { name: string; line: number; length: number }[] {
  const code = stripTypeScriptTypes(source.text.replace(/^#!.*/, ''));
  const found: { name: string; line: number; length: number }[] = [];
  function visit(node: AnyNode): void {
    if (/Function/.test(node.type) && node.loc) {
      const name = 'id' in node && node.id && 'name' in node.id ? String(node.id.name) : 'function';
      const { start, end } = node.loc;
      found.push({ name, line: start.line, length: end.line - start.line + 1 });
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
          const name = basename(path).replace(/(\.(test|gen))?\.ts$/, '');
          return !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name) || leftovers.has(name) || name === 'index';
        }),
    );
  });

  test('nothing is left over', () => {
    const marks = new RegExp(['TO' + 'DO', 'FIX' + 'ME', 'XX' + 'X', 'HA' + 'CK'].join('|'));
    assertNone(everything.filter((one) => marks.test(one.text)).map((one) => one.path));
  });
});
