// `mintwire verify --chain <chain>`: recomputes the index from the chain, prints differences.

import {
  type FollowedVerification,
  verifyFollowedChain,
} from '../compose/verify-followed-chain.ts';
import { loadProcessConfig } from '../config.ts';
import { toTerminalText } from '../telemetry/terminal-text.ts';
import { readCommand } from './read-command.ts';
import { describeStartProblem } from './serve.ts';
import { readChain } from './with-store.ts';

const FORM = {
  name: 'npx mintwire verify',
  help: `usage: npx mintwire verify --chain <chain> [--archive]   for example --chain devnet

Recomputes the index from the chain and prints the differences; exit code 0 where there are none.
With --archive it is 1, too, where no archive gave a block, or one failed or lied.
Blocks come from your nodes; with --archive those that are final come from HISTORY_<CHAIN>, as a
second opinion on what the nodes gave. They are proved by the nodes' hashes, or compared in samples
(docs/history.md); where no archive has a block, a node is read.
`,
  flags: { chain: { type: 'string' }, archive: { type: 'boolean' } },
} as const;

/** What is printed, and the exit code. */
export function judgeVerification(
  chain: string,
  result: FollowedVerification,
): { readonly text: string; readonly exitCode: 0 | 1 } {
  const { archiveProblems: problems, differenceCount } = result;
  const counts = Object.entries(result.checked).map(
    ([what, count]) => `  ${what.padEnd(26)}${count}`,
  );
  const isCut = result.differences.length < differenceCount;
  const verdict =
    differenceCount === 0
      ? `no differences${problems.length > 0 ? ', but not as a second opinion of the archives' : ''}`
      : `${differenceCount} differences${isCut ? `, the first ${result.differences.length}` : ''}:`;
  const lines = [
    `${chain} at block ${result.block} (${result.blockHash}), compared with the chain:`,
    ...counts,
    ...result.archiveNotes,
    ...problems,
    verdict,
    ...result.differences.map((line) => `  ${line}`),
  ];
  return { text: lines.join('\n'), exitCode: differenceCount + problems.length === 0 ? 0 : 1 };
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
    const { text, exitCode } = judgeVerification(chain, result);
    console.log(toTerminalText(text));
    process.exitCode = exitCode;
  } catch (error) {
    console.error(`mintwire: ${describeStartProblem(error, null)}`);
    process.exitCode = 1;
  }
}
