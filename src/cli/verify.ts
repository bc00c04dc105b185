// `mintwire verify --chain <chain>`: recomputes the index from the chain, prints differences.

import { verifyFollowedChain } from '../compose/verify-followed-chain.ts';
import { loadProcessConfig } from '../config.ts';
import type { Verification } from '../ingest/verify/verify-chain.ts';
import { toTerminalText } from '../telemetry/terminal-text.ts';
import { readCommand } from './read-command.ts';
import { describeStartProblem } from './serve.ts';
import { readChain } from './with-store.ts';

const FORM = {
  name: 'npx mintwire verify',
  help: `usage: npx mintwire verify --chain <chain> [--archive]   for example --chain devnet

Recomputes the index from the chain and prints the differences; exit code 0 where there are none.
Blocks come from your nodes; with --archive those that are final come from HISTORY_<CHAIN>, as a
second opinion on what the nodes gave. They are proved by the nodes' hashes, or compared in samples
(docs/history.md); where no archive has a block, a node is read.
`,
  flags: { chain: { type: 'string' }, archive: { type: 'boolean' } },
} as const;

function formatVerification(
  chain: string,
  result: Verification & { readonly archiveProblems: readonly string[] },
): string {
  const counts = Object.entries(result.checked).map(
    ([what, count]) => `  ${what.padEnd(26)}${count}`,
  );
  const verdict =
    result.differenceCount === 0
      ? 'no differences'
      : `${result.differenceCount} differences${result.differences.length < result.differenceCount ? `, the first ${result.differences.length}` : ''}:`;
  return [
    `${chain} at block ${result.block} (${result.blockHash}), compared with the chain:`,
    ...counts,
    ...result.archiveProblems,
    verdict,
    ...result.differences.map((line) => `  ${line}`),
  ].join('\n');
}

export async function verify(typed: readonly string[]): Promise<void> {
  const command = readCommand(typed, FORM);
  const chain = command && readChain(FORM, command.values.chain);
  if (chain === null) return;
  try {
    const result = await verifyFollowedChain({
      config: loadProcessConfig(),
      chain,
      usesArchives: command?.values.archive === true,
      log: { info: () => {}, warn: (_, message) => console.error(`warning: ${message}`) },
      signal: new AbortController().signal,
      onProgress: ({ block, toBlock }) => {
        if (process.stderr.isTTY) process.stderr.write(`\rblock ${block} of ${toBlock} `);
      },
    });
    console.log(toTerminalText(formatVerification(chain, result)));
    process.exitCode = result.differenceCount === 0 ? 0 : 1;
  } catch (error) {
    console.error(`mintwire: ${describeStartProblem(error, null)}`);
    process.exitCode = 1;
  }
}
