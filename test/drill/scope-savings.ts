// `npm run drill -- --scope`: what a scope saves, on recorded chains behind a node. Each index is a
// process of its own, so that its memory can be measured.

import assert from 'node:assert/strict';
import type { Address } from '../../src/model/ids.ts';
import {
  BusyTraders,
  type BusyVenue,
  buildBusySwap,
  buildBusyToken,
  createBusyPool,
  startBusyChain,
} from '../fakes/busy-chain.ts';
import { endScene, startNode, TRADER } from '../fakes/chain-scene.ts';
import type { MemoryChain } from '../fakes/memory-chain.ts';
import type { Cleanup } from '../start-service-process.ts';
import { runChild } from './run-child.ts';
import type { ScopeResult, ScopeRun } from './scope-child.ts';

const CHILD = new URL('./scope-child.ts', import.meta.url);
const E18 = 10n ** 18n;
const MB = 1e6;
const FLOOR_USD = 1_000;
/** 60 USD in all, where a coin is worth 3,000. */
const SPAM_RAW = E18 / 100n;
const VENUES: readonly BusyVenue[] = ['v2', 'v3', 'v4'];
/**
 * Pools outside the scope are remembered up to a limit: 20,000 by the scope, 200,000 by the reader
 * of the logs. No row and no call follows from that, but some memory.
 */
const OUTSIDE_BYTES_MAX = 100 * MB;

interface Measured extends ScopeResult {
  readonly bytes: number;
  readonly calls: number;
}

async function measure(
  t: Cleanup,
  chain: MemoryChain,
  run: Pick<ScopeRun, 'scope' | 'tokens'>,
): Promise<Measured> {
  const node = await startNode(chain);
  const more = { url: node.url, head: chain.head, floorUsd: FLOOR_USD };
  const written = await runChild(t, CHILD, { ...run, ...more }).result;
  const result = JSON.parse(written ?? '') as ScopeResult;
  const measured = { ...result, bytes: node.bytesSent, calls: node.count('eth_call') };
  await endScene();
  return measured;
}

const toMb = (bytes: number) => `${(bytes / MB).toFixed(1)} MB`;

/** 3,000 tokens, of which 20 are watched. */
async function drillWatch(t: Cleanup): Promise<string> {
  const tokens = Array.from({ length: 3_000 }, (_, index) => buildBusyToken(index));
  const chain = startBusyChain();
  for (let at = 0; at < tokens.length; at += 100) {
    chain.add(tokens.slice(at, at + 100).map((one) => createBusyPool(one, 20n * E18)));
  }
  new BusyTraders(chain, tokens, 7).mine(200, 60);
  const watched = tokens.slice(0, 20).map(({ token }) => token);
  const all = await measure(t, chain, { scope: 'all', tokens: watched });
  const watch = await measure(t, chain, { scope: 'watch', tokens: watched });
  const share = watch.bytes / all.bytes;
  assert.ok(share <= 0.05, `${watch.bytes} of ${all.bytes} bytes`);
  assert.ok(watch.digested > 100, `only ${watch.digested} rows`);
  assert.deepEqual([watch.digested, watch.digest], [all.digested, all.digest]);
  const [bytes, ofAll] = [toMb(watch.bytes), toMb(all.bytes)];
  return `watching 20 of 3,000 tokens: ${bytes} of ${ofAll} (${(share * 100).toFixed(2)} %), ${watch.digested} rows equal`;
}

function buildSpamChain(count: number, liquid: readonly ReturnType<typeof buildBusyToken>[]) {
  const chain = startBusyChain();
  chain.add(liquid.map((one) => createBusyPool(one, 10n * E18)));
  for (let at = 0; at < count; at += 250) {
    const size = Math.min(250, count - at);
    const spam = Array.from({ length: size }, (_, index) => buildBusyToken(at + index));
    chain.add(spam.map((one) => createBusyPool(one, SPAM_RAW)));
    chain.add(
      spam
        .filter((_, index) => index % 10 === 0)
        .map((one) => ({ from: TRADER, logs: buildBusySwap(one, 1, SPAM_RAW) })),
    );
  }
  chain.add(liquid.map((one) => ({ from: TRADER, logs: buildBusySwap(one, 1) })));
  for (let at = 0; at < 8; at += 1) chain.add([]);
  return chain;
}

/** Three liquid tokens among spam. */
async function drillSpam(t: Cleanup, log: (line: string) => void): Promise<string> {
  const liquid = VENUES.map((venue, index) => buildBusyToken(99_999 + index, venue));
  const tokens: Address[] = liquid.map(({ token }) => token);
  const results: Measured[] = [];
  for (const count of [500, 50_000]) {
    const chain = buildSpamChain(count, liquid);
    const result = await measure(t, chain, { scope: 'liquid', tokens });
    const { calls, rows, heapBytes, rssBytesMax } = result;
    log(
      `liquid, ${count} spam tokens: ${calls} calls, ${rows} rows, heap ${toMb(heapBytes)}, at most ${toMb(rssBytesMax)}`,
    );
    results.push(result);
  }
  const [few, many] = results;
  assert.ok(few !== undefined && many !== undefined);
  assert.deepEqual([many.calls, many.rows], [few.calls, few.rows]);
  assert.ok(many.digested > 0);
  const grown = many.heapBytes - few.heapBytes;
  assert.ok(grown <= OUTSIDE_BYTES_MAX, `the heap grew by ${toMb(grown)}`);
  return `50,000 spam tokens: the same ${many.calls} calls and ${many.rows} rows as 500; the heap grew by ${toMb(grown)}`;
}

export async function drillScope(t: Cleanup, log: (line: string) => void): Promise<string> {
  const watch = await drillWatch(t);
  log(watch);
  return `${watch}\n${await drillSpam(t, log)}`;
}
