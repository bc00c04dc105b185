// Compiles contracts of the tests: wallets, unless another file is named.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Abi, Hex } from 'viem';

export interface CompiledWallet {
  readonly abi: Abi;
  readonly bytecode: Hex;
  /** The runtime code. */
  readonly runtime: Hex;
}

interface CompilerOutput {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[];
  readonly contracts: Readonly<
    Record<
      string,
      Record<
        string,
        { abi: Abi; evm: { bytecode: { object: string }; deployedBytecode: { object: string } } }
      >
    >
  >;
}

export function compileWallets(file = 'wallets.sol'): Readonly<Record<string, CompiledWallet>> {
  const solc = createRequire(import.meta.url)('solc') as { compile(input: string): string };
  const content = readFileSync(new URL(`./${file}`, import.meta.url), 'utf8');
  const outputs = ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'];
  const output = JSON.parse(
    solc.compile(
      JSON.stringify({
        language: 'Solidity',
        sources: { [file]: { content } },
        settings: { evmVersion: 'cancun', outputSelection: { '*': { '*': outputs } } },
      }),
    ),
  ) as CompilerOutput;
  const failures = (output.errors ?? []).filter((error) => error.severity === 'error');
  if (failures.length > 0) throw new Error(failures.map((one) => one.formattedMessage).join('\n'));
  return Object.fromEntries(
    Object.entries(output.contracts[file] ?? {}).map(([name, { abi, evm }]) => [
      name,
      {
        abi,
        bytecode: `0x${evm.bytecode.object}`,
        runtime: `0x${evm.deployedBytecode.object}`,
      },
    ]),
  );
}
