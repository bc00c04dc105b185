// `mintwire verify --chain <chain>`: recomputes the index from the chain, prints differences.

import { parseArgs } from 'node:util';
import { verifyFollowedChain } from '../compose/verify-followed-chain.ts';
import { loadProcessConfig } from '../config.ts';
import type { Verification } from '../ingest/verify-chain.ts';
import { type ChainSlug, toChain } from '../model/chain.ts';
import { toStartProblem } from './serve.ts';

const USAGE = 'usage: npx mintwire verify --chain <chain>, for example --chain devnet';

function parseChain(args: readonly string[]): ChainSlug | null {
  try {
    const { values } = parseArgs({ args: [...args], options: { chain: { type: 'string' } } });
    return toChain(values.chain ?? '')?.slug ?? null;
  } catch {
    return null;
  }
}

export function toVerifyText(chain: string, result: Verification): string {
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
    verdict,
    ...result.differences.map((line) => `  ${line}`),
  ].join('\n');
}

export async function verify(args: readonly string[]): Promise<void> {
  const chain = parseChain(args);
  if (chain === null) {
    console.error(`mintwire: ${USAGE}`);
    process.exitCode = 2;
    return;
  }
  try {
    const result = await verifyFollowedChain({
      config: loadProcessConfig(),
      chain,
      log: { info: () => {}, warn: (_, message) => console.error(`warning: ${message}`) },
      signal: new AbortController().signal,
      onProgress: ({ block, toBlock }) => {
        if (process.stderr.isTTY) process.stderr.write(`\rblock ${block} of ${toBlock} `);
      },
    });
    console.log(toVerifyText(chain, result));
    process.exitCode = result.differenceCount === 0 ? 0 : 1;
  } catch (error) {
    console.error(`mintwire: ${toStartProblem(error, null)}`);
    process.exitCode = 1;
  }
}
