// Compiles devnet/contracts/*.sol into compiled.gen.json; with --check it only checks whether that
// is stale.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Abi, type Address, getContractAddress, type Hex } from 'viem';

export interface CompiledContract {
  readonly abi: Abi;
  readonly bytecode: Hex;
}

export interface CompiledContracts {
  /** Hash of the sources and the compiler's version: detects staleness without compiling. */
  readonly sourceHash: string;
  /** The CREATE2 salts that give hooks addresses whose low bits announce their callbacks. */
  readonly hookSalts: Readonly<Record<HookName, Hex>>;
  readonly contracts: Readonly<Record<string, CompiledContract>>;
}

interface CompilerOutput {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[];
  readonly contracts?: Record<
    string,
    Record<string, { abi: Abi; evm: { bytecode: { object: string } } }>
  >;
}

export const CREATE2_DEPLOYER = '0x4e59b44847b379578588920ca78fbf26c0b4956c';
/** Uniswap V4 reads a hook's permissions from its address's low 14 bits. */
const HOOK_FLAGS_MASK = 0x3fffn;
const BEFORE_SWAP = 0x80n;
const AFTER_SWAP = 0x40n;
const AFTER_SWAP_DELTA = 0x04n;

/** A contract of the devnet, and the callbacks that it gets. */
const HOOKS = {
  sellFee: { contract: 'SellFeeHook', flags: BEFORE_SWAP },
  moving: { contract: 'MovingHook', flags: BEFORE_SWAP },
  refusingBefore: { contract: 'RefusingHook', flags: BEFORE_SWAP },
  refusingAfter: { contract: 'RefusingHook', flags: AFTER_SWAP },
  taking: { contract: 'TakingHook', flags: AFTER_SWAP | AFTER_SWAP_DELTA },
} as const;

export type HookName = keyof typeof HOOKS;

const SOURCE_DIR = join(import.meta.dirname, 'contracts');
const OUTPUT_FILE = join(SOURCE_DIR, 'compiled.gen.json');

function readSources(): Map<string, string> {
  const names = readdirSync(SOURCE_DIR).filter((name) => name.endsWith('.sol'));
  return new Map(names.sort().map((name) => [name, readFileSync(join(SOURCE_DIR, name), 'utf8')]));
}

/** The hash that compiled.gen.json must have to be up to date. */
export function hashSources(): string {
  const manifest = readFileSync(join(import.meta.dirname, 'package.json'), 'utf8');
  const solcVersion: string = JSON.parse(manifest).dependencies.solc;
  return createHash('sha256')
    .update(JSON.stringify([solcVersion, ...readSources()]))
    .digest('hex');
}

function compile(): Map<string, CompiledContract> {
  const solc = createRequire(import.meta.url)('solc') as { compile(input: string): string };
  const sources = Object.fromEntries(
    [...readSources()].map(([name, content]) => [name, { content }]),
  );
  const settings = {
    evmVersion: 'cancun',
    optimizer: { enabled: true, runs: 200 },
    metadata: { appendCBOR: false, bytecodeHash: 'none' },
    outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
  };
  const input = JSON.stringify({ language: 'Solidity', sources, settings });
  const output = JSON.parse(solc.compile(input)) as CompilerOutput;
  const failures = (output.errors ?? []).filter((error) => error.severity === 'error');
  if (failures.length > 0) {
    throw new Error(failures.map((failure) => failure.formattedMessage).join('\n'));
  }
  const compiled = new Map<string, CompiledContract>();
  for (const contracts of Object.values(output.contracts ?? {})) {
    for (const [name, { abi, evm }] of Object.entries(contracts)) {
      if (evm.bytecode.object === '') continue;
      compiled.set(name, { abi, bytecode: `0x${evm.bytecode.object}` });
    }
  }
  return compiled;
}

function mineHookSalt(bytecode: Hex, flags: bigint): Hex {
  for (let n = 0n; ; n++) {
    const salt: Hex = `0x${n.toString(16).padStart(64, '0')}`;
    const address = getContractAddress({
      opcode: 'CREATE2',
      from: CREATE2_DEPLOYER,
      salt,
      bytecode,
    });
    if ((BigInt(address) & HOOK_FLAGS_MASK) === flags) return salt;
  }
}

/** What creates a hook at its address: sent to `CREATE2_DEPLOYER`. */
export function buildHookCreation(name: HookName): {
  readonly data: Hex;
  readonly address: Address;
} {
  const { hookSalts, contracts } = readCompiledContracts();
  const salt = hookSalts[name];
  const bytecode = contracts[HOOKS[name].contract]?.bytecode;
  if (bytecode === undefined) throw new Error(`${name} is not compiled`);
  const address = getContractAddress({ opcode: 'CREATE2', from: CREATE2_DEPLOYER, salt, bytecode });
  return { data: `${salt}${bytecode.slice(2)}`, address: address.toLowerCase() as Address };
}

/** The tokens and hooks of the devnet, as committed. */
export function readCompiledContracts(): CompiledContracts {
  return JSON.parse(readFileSync(OUTPUT_FILE, 'utf8')) as CompiledContracts;
}

/** Recompiles; returns the new content of compiled.gen.json. */
export function renderCompiledContracts(): string {
  const contracts = compile();
  const salts = Object.entries(HOOKS).map(([name, { contract, flags }]) => {
    const hook = contracts.get(contract);
    if (hook === undefined) throw new Error(`${contract} is missing`);
    return [name, mineHookSalt(hook.bytecode, flags)];
  });
  const compiled: CompiledContracts = {
    sourceHash: hashSources(),
    hookSalts: Object.fromEntries(salts),
    contracts: Object.fromEntries([...contracts].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
  return `${JSON.stringify(compiled, null, 1)}\n`;
}

if (import.meta.main) {
  const text = renderCompiledContracts();
  if (!process.argv.includes('--check')) {
    writeFileSync(OUTPUT_FILE, text);
  } else if (readFileSync(OUTPUT_FILE, 'utf8') !== text) {
    console.error(
      'devnet/contracts/compiled.gen.json is stale: run node devnet/compile-contracts.ts',
    );
    process.exitCode = 1;
  }
}
