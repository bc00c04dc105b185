// Compiles the round-trip probe into its generated source, or with --check says whether it is stale.

import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const FOLDER = new URL('../../src/chains/evm/probe/', import.meta.url);
const SOURCE_FILE = 'RoundTripProbe.sol';
const OUTPUT = new URL('round-trip-probe.gen.ts', FOLDER);

const SETTINGS = {
  // Every chain that is followed understands this one.
  evmVersion: 'paris',
  viaIR: true,
  optimizer: { enabled: true, runs: 200 },
  metadata: { appendCBOR: false, bytecodeHash: 'none' },
  outputSelection: { '*': { RoundTripProbe: ['evm.deployedBytecode.object'] } },
};

function readSource(): string {
  return readFileSync(new URL(SOURCE_FILE, FOLDER), 'utf8');
}

/** Tells staleness without compiling. */
export function hashProbeSource(): string {
  const manifest = readFileSync(new URL('../../devnet/package.json', import.meta.url), 'utf8');
  const solcVersion: string = JSON.parse(manifest).dependencies.solc;
  const text = JSON.stringify([solcVersion, SETTINGS, readSource()]);
  return createHash('sha256').update(text).digest('hex');
}

interface CompilerOutput {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[];
  readonly contracts: Record<
    string,
    Record<string, { evm: { deployedBytecode: { object: string } } }>
  >;
}

function renderProbe(): string {
  const solc = createRequire(import.meta.url)('solc') as { compile(input: string): string };
  const sources = { [SOURCE_FILE]: { content: readSource() } };
  const input = { language: 'Solidity', sources, settings: SETTINGS };
  const output = JSON.parse(solc.compile(JSON.stringify(input))) as CompilerOutput;
  const failures = (output.errors ?? []).filter((error) => error.severity === 'error');
  if (failures.length > 0) throw new Error(failures.map((one) => one.formattedMessage).join('\n'));
  const code = output.contracts[SOURCE_FILE]?.['RoundTripProbe']?.evm.deployedBytecode.object;
  return [
    `// Generated from ${SOURCE_FILE} by test/contracts/compile-probe.ts: the code as on a chain.`,
    '',
    `export const PROBE_SOURCE_HASH = '${hashProbeSource()}';`,
    '',
    `export const PROBE_CODE =\n  '0x${code}';`,
    '',
  ].join('\n');
}

if (import.meta.main) {
  const text = renderProbe();
  if (!process.argv.includes('--check')) {
    writeFileSync(OUTPUT, text);
  } else if (readFileSync(OUTPUT, 'utf8') !== text) {
    console.error('round-trip-probe.gen.ts is stale: run node test/contracts/compile-probe.ts');
    process.exitCode = 1;
  }
}
