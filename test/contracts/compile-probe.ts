// Compiles the round-trip probe, its test traps, stand-ins of routers and a caller of pools into
// generated sources; with --check it only checks whether they are stale.

import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

interface Target {
  readonly source: URL;
  readonly contract: string;
  /** The runtime code, or the creation code. */
  readonly part: 'deployedBytecode' | 'bytecode';
  readonly output: URL;
}

const PROBE_FOLDER = new URL('../../src/chains/evm/pools/', import.meta.url);
const VENUES_FOLDER = new URL('../../src/chains/evm/venues/', import.meta.url);

export const TARGETS: readonly Target[] = [
  {
    source: new URL('RoundTripProbe.sol', PROBE_FOLDER),
    contract: 'RoundTripProbe',
    part: 'deployedBytecode',
    output: new URL('round-trip-probe.gen.ts', PROBE_FOLDER),
  },
  ...[
    ['FakeToken', 'fake-token.gen.ts'],
    ['uniswap-v2/PairProbe', 'uniswap-v2/pair-probe.gen.ts'],
    ['uniswap-v3/RangeProbe', 'uniswap-v3/range-probe.gen.ts'],
  ].map(([source = '', output = '']) => ({
    source: new URL(`${source}.sol`, VENUES_FOLDER),
    contract: source.split('/').at(-1) ?? '',
    part: 'deployedBytecode' as const,
    output: new URL(output, VENUES_FOLDER),
  })),
  {
    source: new URL('traps.sol', import.meta.url),
    contract: 'Trap',
    part: 'bytecode',
    output: new URL('traps.gen.ts', import.meta.url),
  },
  {
    source: new URL('routers.sol', import.meta.url),
    contract: 'RouterStandIn',
    part: 'bytecode',
    output: new URL('router-stand-in.gen.ts', import.meta.url),
  },
  {
    source: new URL('routers.sol', import.meta.url),
    contract: 'PairStandIn',
    part: 'bytecode',
    output: new URL('pair-stand-in.gen.ts', import.meta.url),
  },
  ...[
    ['PancakeStablePool', 'stable-pool.gen.ts'],
    ['PancakeStableRouter', 'stable-router.gen.ts'],
  ].map(([contract = '', output = '']) => ({
    ...{ source: new URL('pancake-stable.sol', import.meta.url), contract },
    part: 'bytecode' as const,
    output: new URL(output, import.meta.url),
  })),
  {
    source: new URL('callers.sol', import.meta.url),
    contract: 'PoolCaller',
    part: 'bytecode',
    output: new URL('pool-caller.gen.ts', import.meta.url),
  },
  {
    source: new URL('called-pools.sol', import.meta.url),
    contract: 'CalledPoolsStandIn',
    part: 'bytecode',
    output: new URL('called-pools.gen.ts', import.meta.url),
  },
  ...[
    ['liquidity-book.sol', 'BookFactoryStandIn', 'book-factory-stand-in.gen.ts'],
    ['liquidity-book.sol', 'BookRouterStandIn', 'book-router-stand-in.gen.ts'],
    ['euler-swap.sol', 'EulerSwapStandIn', 'euler-swap.gen.ts'],
  ].map(([source = '', contract = '', output = '']) => ({
    source: new URL(source, import.meta.url),
    ...{ contract, part: 'bytecode' as const, output: new URL(output, import.meta.url) },
  })),
];

const SETTINGS = {
  // Every followed chain supports this version.
  evmVersion: 'paris',
  viaIR: true,
  optimizer: { enabled: true, runs: 200 },
  metadata: { appendCBOR: false, bytecodeHash: 'none' },
};

const IMPORT = /^import .* from "(.+)";$/gm;

/** Of a file and those that it imports, by path. */
function readSources(file: URL): Readonly<Record<string, string>> {
  const text = readFileSync(file, 'utf8');
  const imported = Array.from(text.matchAll(IMPORT), ([, path = '']) =>
    readSources(new URL(path, file)),
  );
  return Object.assign({ [file.pathname]: text }, ...imported);
}

/** Detects staleness without compiling. */
export function hashSource(target: Target): string {
  const manifest = readFileSync(new URL('../../devnet/package.json', import.meta.url), 'utf8');
  const solcVersion: string = JSON.parse(manifest).dependencies.solc;
  const text = JSON.stringify([
    solcVersion,
    SETTINGS,
    ...Object.values(readSources(target.source)),
  ]);
  return createHash('sha256').update(text).digest('hex');
}

type Compiled = Record<Target['part'], { readonly object: string }>;

interface CompilerOutput {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[];
  readonly contracts: Record<string, Record<string, { evm: Compiled }>>;
}

function render(target: Target): string {
  const solc = createRequire(import.meta.url)('solc') as { compile(input: string): string };
  const { contract, part, source } = target;
  const name = source.pathname.split('/').at(-1) ?? '';
  const outputSelection = { '*': { [contract]: [`evm.${part}.object`] } };
  const settings = { ...SETTINGS, outputSelection };
  const sources = Object.fromEntries(
    Object.entries(readSources(source)).map(([path, content]) => [path, { content }]),
  );
  const input = { language: 'Solidity', sources, settings };
  const output = JSON.parse(solc.compile(JSON.stringify(input))) as CompilerOutput;
  const failures = (output.errors ?? []).filter((error) => error.severity === 'error');
  if (failures.length > 0) throw new Error(failures.map((one) => one.formattedMessage).join('\n'));
  const code = output.contracts[source.pathname]?.[contract]?.evm[part].object;
  return [
    `// Generated from ${name} by test/contracts/compile-probe.ts.`,
    '',
    `export const SOURCE_HASH = '${hashSource(target)}';`,
    '',
    `export const CODE =\n  '0x${code}';`,
    '',
  ].join('\n');
}

if (import.meta.main) {
  for (const target of TARGETS) {
    const text = render(target);
    if (!process.argv.includes('--check')) {
      writeFileSync(target.output, text);
    } else if (readFileSync(target.output, 'utf8') !== text) {
      console.error(`${target.contract} is stale: run node test/contracts/compile-probe.ts`);
      process.exitCode = 1;
    }
  }
}
