// Compiles the contract wallets of the tests.

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

export function compileWallets(): Readonly<Record<string, CompiledWallet>> {
  const solc = createRequire(import.meta.url)('solc') as { compile(input: string): string };
  const content = readFileSync(new URL('./wallets.sol', import.meta.url), 'utf8');
  const outputs = ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'];
  const output = JSON.parse(
    solc.compile(
      JSON.stringify({
        language: 'Solidity',
        sources: { 'wallets.sol': { content } },
        settings: { evmVersion: 'cancun', outputSelection: { '*': { '*': outputs } } },
      }),
    ),
  ) as CompilerOutput;
  const failures = (output.errors ?? []).filter((error) => error.severity === 'error');
  if (failures.length > 0) throw new Error(failures.map((one) => one.formattedMessage).join('\n'));
  return Object.fromEntries(
    Object.entries(output.contracts['wallets.sol'] ?? {}).map(([name, { abi, evm }]) => [
      name,
      {
        abi,
        bytecode: `0x${evm.bytecode.object}`,
        runtime: `0x${evm.deployedBytecode.object}`,
      },
    ]),
  );
}
