// `npm run coverage -- <folder>`: how many swaps of recorded blocks the index would store.

import { SWAP_TOPICS } from '../../src/chains/evm/venues/registry.ts';
import { readCommand } from '../../src/cli/read-command.ts';
import { isTrade, type JudgedSwap, measureCoverage } from './measure-coverage.ts';
import { measureSolana } from './measure-solana.ts';
import { readRecordings } from './read-recordings.ts';

const command = readCommand(process.argv.slice(2), {
  name: 'npm run coverage',
  help: `usage: npm run coverage -- <folder> [--rpc <chain>=<url>]

Judges every swap in a folder of recorded blocks: <chain>-<block>.receipts.json as eth_getBlockReceipts
answers, files {"chain", "logs"}, and blocks or transactions of Solana. Prints swaps by venue, stored,
asked for and missed, by number and by value, and for what is missed its topic and pool or its program.
With --rpc the pools of that chain that are missed are asked for their factory; otherwise no node is needed.
`,
  args: ['folder'],
  flags: { rpc: { type: 'string' } },
});
if (command === null) process.exit();

async function readFactory(url: string, pool: string): Promise<string> {
  const params = [{ to: pool, data: '0xc45a0155' }, 'latest'];
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_call', params });
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(url, { method: 'POST', headers, body });
  const { result } = (await answer.json()) as { result?: string };
  return result?.length === 66 ? `0x${result.slice(26)}` : 'none';
}

function count(swaps: readonly JudgedSwap[], kind: JudgedSwap['verdict']['kind']): number {
  return swaps.filter(({ verdict }) => verdict.kind === kind).length;
}

function printVenues(swaps: readonly JudgedSwap[]): void {
  const venues = Map.groupBy(swaps, ({ verdict }) => 'venue' in verdict && verdict.venue);
  for (const [venue, own] of venues) {
    if (venue === false) continue;
    const asked = count(own, 'asked');
    console.log(
      `  ${venue.padEnd(24)} ${own.length}${asked > 0 ? ' (its registry is asked)' : ''}`,
    );
  }
}

function describeValue(swaps: readonly { readonly value: number | null }[]): string {
  const value = swaps.reduce((sum, one) => sum + (one.value ?? 0), 0);
  return value === 0 ? '' : ` ($${Math.round(value)})`;
}

const [rpcChain, rpcUrl] = (command.values.rpc ?? '').split(/=(.*)/s);

async function printMissed(swaps: readonly JudgedSwap[]): Promise<void> {
  const missed = swaps.filter(({ verdict }) => verdict.kind === 'missed');
  for (const [pool, own] of Map.groupBy(missed, ({ log }) => log.address)) {
    const [{ log, verdict, chain, file }] = own as [JudgedSwap];
    const topic = log.topics[0] ?? '';
    const reason = verdict.kind === 'missed' ? verdict.reason : '';
    const factory =
      rpcUrl !== undefined && chain === rpcChain
        ? `, factory ${await readFactory(rpcUrl, pool)}`
        : '';
    console.log(
      `  missed ${own.length}${describeValue(own)}: ${SWAP_TOPICS.get(topic)} ${topic.slice(0, 10)} of ${pool}${factory}`,
    );
    console.log(`    ${reason}; first in ${file}, transaction ${log.txHash}`);
  }
}

interface Share {
  readonly kept: boolean;
  readonly value: number | null;
}

/** Rounded down: 100 % is all of them. */
function toPct(part: number, whole: number): string {
  return `${whole === 0 ? 100 : Math.floor((part * 1000) / whole) / 10} %`;
}

function describeShare(swaps: readonly Share[]): string {
  const kept = swaps.filter((one) => one.kept);
  const sum = (some: readonly Share[]) =>
    some.reduce((total, { value }) => total + (value ?? 0), 0);
  const valued = swaps.filter(({ value }) => value !== null).length;
  const [part, whole] = [sum(kept), sum(swaps)];
  const byValue =
    whole === 0 ? 'no value known' : `${toPct(part, whole)} of $${Math.round(whole)} in ${valued}`;
  return `${kept.length} of ${swaps.length} swaps stored (${toPct(kept.length, swaps.length)}; by value ${byValue})`;
}

const recordings = readRecordings(command.args[0] ?? '');
const judged = measureCoverage(recordings);
for (const [chain, swaps] of Map.groupBy(judged, (swap) => swap.chain)) {
  const real = swaps.filter(isTrade);
  const shares = real.map(({ verdict, value }) => ({ kept: verdict.kind !== 'missed', value }));
  console.log(
    `${chain}: ${describeShare(shares)}, ${count(swaps, 'madeUp')} made up, ${count(swaps, 'shares')} of shares`,
  );
  printVenues(swaps);
  await printMissed(swaps);
}

const trades = measureSolana(recordings);
if (trades.length > 0) {
  const shares = trades.map(({ isStored, value }) => ({ kept: isStored, value }));
  console.log(`solana: ${describeShare(shares)}`);
}
for (const [venue, own] of Map.groupBy(trades, (trade) => trade.venue)) {
  const missed = own.filter(({ isStored }) => !isStored);
  if (missed.length < own.length)
    console.log(`  ${venue.padEnd(24)} ${own.length - missed.length}`);
  const [first] = missed;
  if (first === undefined) continue;
  console.log(
    `  missed ${missed.length}${describeValue(missed)}: ${venue}, first in ${first.file}, ${first.txHash}`,
  );
}
if (judged.length + trades.length === 0) {
  console.error('no swaps were found there');
  process.exitCode = 1;
}
