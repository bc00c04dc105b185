// The house rules for imports and exports, checked on the source itself.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  assertNone,
  findCircles,
  findImportedFiles,
  findUnusedExports,
  isTest,
  parseSource,
  readSources,
  type Source,
} from './source-files.ts';

/** Layers from the lowest up. A file imports only from lower layers and from its own folder. */
const LAYERS: readonly (readonly string[])[] = [
  ['errors', 'lib', 'model', 'telemetry'],
  ['config', 'contract', 'amm', 'candles', 'positions', 'alerts'],
  ['store', 'chains', 'live'],
  ['access', 'market', 'trading', 'ingest'],
  ['webhooks'],
  ['compat', 'http', 'mcp', 'engines'],
  ['runtime'],
  ['compose'],
  ['cli'],
];

const rank = (text: string) => text.split(' < ').map((layer) => layer.split(' '));

/** The same in both families of chains, with the same meaning. */
const FAMILY_LAYERS = rank(
  'data < rpc < archives < tokens < venues < pools < blocks < trading < .',
);

/**
 * The same inside the large folders: sub-folders from the lowest up. `.` is the files beside them;
 * where it is missing, they belong to no layer and only the search for circles covers them.
 */
const INNER_LAYERS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'src/trading': [['graph'], ['routing'], ['search', 'safety'], ['quote'], ['build']],
  'src/store': [['.'], ['tables'], ['migrations', 'market', 'access'], ['sqlite', 'postgres']],
  'src/contract': [['schemas'], ['operations']],
  'src/market': [['state'], ['lists', 'rolling-stats'], ['search'], ['.'], ['stream']],
  'src/ingest': rank(
    'state < read apply < commit < scope adopt < demand backfill < follow < verify',
  ),
  'src/chains/evm': FAMILY_LAYERS,
  'src/chains/solana': FAMILY_LAYERS,
};

/** Who may import from the folder of a chain family. */
const FAMILY_IMPORTERS: readonly string[] = [
  'src/engines/chain-families.ts',
  'src/trading/build/ask-node.test.ts',
  'src/trading/safety/stale-safety-on-chain.test.ts',
  'src/trading/safety/traps-on-chain.test.ts',
];

/** Libraries of one family: its folder alone imports them. Tests may, and the devnet is EVM. */
const FAMILY_LIBRARIES: Readonly<Record<string, string>> = {
  viem: 'src/chains/evm/',
  '@solana': 'src/chains/solana/',
};

const sources = readSources(['src/**/*.ts']);
const everything = readSources([
  '{src,test,bench,docs,devnet,examples,console,sdk,release}/**/*.ts',
  'console/**/*.tsx',
]);
const consoleFiles = everything.filter(({ path }) => path.startsWith('console/src/'));
const sdkFiles = everything.filter(({ path }) => path.startsWith('sdk/src/'));
const production = sources.filter((source) => !isTest(source));

/** The folder below src that a file belongs to, or its own name for files at the top. */
function partOf(path: string): string {
  const [, first = ''] = path.split('/');
  return first.replace(/(\.test)?\.ts$/, '');
}

function layerOf(part: string): number {
  return LAYERS.findIndex((layer) => layer.includes(part));
}

/** The layered folder that a file is in; undefined if it is in none. */
function layeredFolderOf(path: string): string | undefined {
  return Object.keys(INNER_LAYERS).find((folder) => path.startsWith(`${folder}/`));
}

/** `.` for a file beside the sub-folders. */
function subFolderOf(path: string, layered: string): string {
  const [folder = '', file] = path.slice(layered.length + 1).split('/');
  return file === undefined ? '.' : folder;
}

/** Whether an import between two sub-folders of a large folder goes sideways or up. */
function isInnerBreach(from: string, to: string): boolean {
  const folder = layeredFolderOf(from);
  const layers = INNER_LAYERS[folder ?? ''];
  if (folder === undefined || layers === undefined || folder !== layeredFolderOf(to)) return false;
  const [own = '', target = ''] = [from, to].map((path) => subFolderOf(path, folder));
  if (own === target) return false;
  const [low, high] = [target, own].map((one) => layers.findIndex((each) => each.includes(one)));
  return low !== -1 && high !== -1 && (low ?? 0) >= (high ?? 0);
}

/** Imports that break a rule, as `file → file`. */
function findBreaches(
  files: readonly Source[],
  isBreach: (from: string, to: string) => boolean,
): string[] {
  return files.flatMap((source) =>
    [...findImportedFiles(source)]
      .filter((target) => isBreach(source.path, target))
      .map((target) => `${source.path} → ${target}`),
  );
}

/** Imports of a family's library by other production files, as `file → package`. */
function findForeignLibraries(files: readonly Source[]): string[] {
  return files.flatMap(({ path, imports }) =>
    imports
      .filter(({ from }) => {
        const folder = FAMILY_LIBRARIES[from.split('/')[0] ?? ''];
        return folder !== undefined && !path.startsWith(folder);
      })
      .map(({ from }) => `${path} → ${from}`),
  );
}

describe('imports', () => {
  test('every part of src has a place in the layers', () => {
    assertNone([...new Set(sources.map((one) => partOf(one.path)))].filter((p) => layerOf(p) < 0));
  });

  test('imports go down, never sideways or up', () => {
    assertNone(
      findBreaches(production, (source, target) => {
        const [from, to] = [partOf(source), partOf(target)];
        return !target.startsWith('src/') || (from !== to && layerOf(to) >= layerOf(from));
      }),
    );
  });

  test('imports between the sub-folders of a large folder go down as well', () => {
    assertNone(findBreaches(production, isInnerBreach));
  });

  test('files beside the sub-folders have their place where it is named', () => {
    assert.equal(isInnerBreach('src/store/store.ts', 'src/store/tables/key-table.ts'), true);
    assert.equal(isInnerBreach('src/store/tables/key-table.ts', 'src/store/sql.ts'), false);
    assert.equal(isInnerBreach('src/contract/openapi.ts', 'src/contract/schemas/a.ts'), false);
  });

  test('every sub-folder of a layered folder has a place in its layers', () => {
    const folders = sources.flatMap(({ path }) => {
      const layered = layeredFolderOf(path);
      const folder = layered === undefined ? '.' : subFolderOf(path, layered);
      const known = INNER_LAYERS[layered ?? '']?.flat() ?? [];
      return folder === '.' || known.includes(folder) ? [] : [path];
    });
    assertNone(folders);
  });

  test('no files import each other in a circle', () => {
    assertNone(findCircles(production));
  });

  test('circles are found over several files, by types too', () => {
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
    const transports = production.filter(({ path }) => ['http', 'mcp'].includes(partOf(path)));
    assertNone(
      findBreaches(transports, (_, target) => ['store', 'chains'].includes(partOf(target))),
    );
  });

  test('one file names the chain families, and nothing else imports from them', () => {
    // `rpc` and `archives` are what the families share.
    const familyOf = (path: string) =>
      /^src\/chains\/(?!rpc\/|archives\/)([^/]+)\//.exec(path)?.[1];
    const others = sources.filter(({ path }) => !FAMILY_IMPORTERS.includes(path));
    assertNone(
      findBreaches(
        others,
        (source, target) => ![undefined, familyOf(source)].includes(familyOf(target)),
      ),
    );
  });

  test("a family's library is imported by that family only", () => {
    assertNone(findForeignLibraries(production));
  });

  test('libraries are found by their sub-paths, types and dynamic imports, too', () => {
    const files = [
      parseSource('src/chains/evm/a.ts', "import type { Hex } from 'viem';\n"),
      parseSource('src/trading/a.ts', "import type { Hex } from 'viem/utils';\n"),
      parseSource('src/access/a.ts', "const { b } = await import('viem');\n"),
      parseSource('src/chains/evm/b.ts', "import { address } from '@solana/kit';\n"),
    ];
    assert.deepEqual(findForeignLibraries(files), [
      'src/trading/a.ts → viem/utils',
      'src/access/a.ts → viem',
      'src/chains/evm/b.ts → @solana/kit',
    ]);
  });

  test('the console takes the SDK from outside, and nothing else', () => {
    const isOutside = (target: string) => !target.startsWith('console/');
    assertNone(findBreaches(consoleFiles, (_, to) => isOutside(to) && !to.startsWith('sdk/src/')));
  });

  test('the console asks the API by the SDK alone', () => {
    const own = /\bfetch\(|\bEventSource\b|\bXMLHttpRequest\b|['"`]\/v1\/(?!docs|openapi)/;
    const pages = consoleFiles.filter(({ path }) => path.startsWith('console/src/'));
    assert.ok(pages.some(({ text }) => text.includes('createClient(')));
    assertNone(pages.filter(({ text }) => own.test(text)).map(({ path }) => path));
  });

  test('one file of the console imports the chart library', () => {
    const importers = consoleFiles.filter(({ imports }) =>
      imports.some(({ from }) => from === 'lightweight-charts'),
    );
    assert.deepEqual(
      importers.map(({ path }) => path),
      ['console/src/chart/price-chart.ts'],
    );
  });

  test('no files of the console import each other in a circle', () => {
    assertNone(findCircles(consoleFiles));
  });

  test('the SDK imports nothing but itself, and in no circle', () => {
    const parts = sdkFiles.filter((source) => !isTest(source));
    assertNone(findBreaches(parts, (_, target) => !target.startsWith('sdk/src/')));
    assertNone(
      parts.flatMap(({ path, imports }) =>
        imports.filter(({ from }) => !from.startsWith('.')).map(({ from }) => `${path} → ${from}`),
      ),
    );
    assertNone(findCircles(parts));
  });

  test('one folder names the engines', () => {
    const others = production.filter(({ path }) => !/^src\/(store|engines)/.test(path));
    assertNone(
      findBreaches(others, (_, target) => /^src\/store\/(sqlite|postgres)\//.test(target)),
    );
  });
});

describe('exports', () => {
  test('a name is exported because another file imports it', () => {
    assertNone(findUnusedExports(everything));
  });

  test('the search tells names nobody imports from names that only tests use', () => {
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
