// Indexes a chain behind an address with a scope, up to a block, and writes what that took and what
// it stored.

import { createHash } from 'node:crypto';
import type { Address } from '../../src/model/ids.ts';
import type { MarketStore } from '../../src/store/store.ts';
import { BUSY_DEPLOYMENT, USDC } from '../fakes/busy-chain.ts';
import { WETH } from '../fakes/chain-scene.ts';
import { readIndex } from '../fakes/indexed-chain.ts';
import { openScopedIndex, type ScopeOptions } from '../fakes/scoped-index.ts';

export interface ScopeRun {
  readonly url: string;
  readonly head: number;
  readonly scope: 'all' | 'watch' | 'liquid';
  readonly floorUsd: number;
  /** Those whose rows are compared; `watch` has no others. */
  readonly tokens: readonly Address[];
}

export interface ScopeResult {
  /** After a garbage collection. */
  readonly heapBytes: number;
  readonly rssBytesMax: number;
  /** All rows, except the balances of the quote assets: those are in scope whoever holds them. */
  readonly rows: number;
  /** Of the rows of the tokens. */
  readonly digest: string;
  readonly digested: number;
}

function buildScope({ scope, tokens, floorUsd }: ScopeRun): ScopeOptions {
  if (scope === 'watch') return { name: scope, readWatched: async () => tokens };
  if (scope === 'liquid') return { name: scope, floorUsdE18: BigInt(floorUsd) * 10n ** 18n };
  return { name: scope };
}

async function readRows(store: MarketStore, tokens: ReadonlySet<Address>) {
  const { checkpoint, ...index } = await readIndex(store);
  const others = index.balances.filter(({ token }) => token !== WETH && token !== USDC);
  const rows = [index.tokens, index.pools, index.ticks, others, index.trades, index.candles];
  const pools = index.pools.filter(
    ({ token0, token1 }) => tokens.has(token0) || tokens.has(token1),
  );
  const ids = new Set(pools.map(({ pool }) => pool));
  const ofToken = ({ token }: { readonly token: Address }) => tokens.has(token);
  const own = [
    ...index.tokens.filter(ofToken),
    ...pools,
    ...index.ticks.filter(({ pool }) => ids.has(pool)),
    ...index.balances.filter(ofToken),
    ...index.trades.filter(ofToken),
    ...index.candles.filter(ofToken),
  ];
  const text = JSON.stringify(own, (_, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  );
  return {
    rows: rows.reduce((sum, { length }) => sum + length, 0),
    digest: createHash('sha256').update(text).digest('hex'),
    digested: own.length,
  };
}

const run = JSON.parse(process.argv[2] ?? '') as ScopeRun;
const works: (() => unknown)[] = [];
const index = await openScopedIndex({ after: (work) => void works.push(work) }, run, {
  ...{ deployment: BUSY_DEPLOYMENT, scope: buildScope(run), findHead: () => run.head },
});
await index.settle();
globalThis.gc?.();
const heapBytes = process.memoryUsage().heapUsed;
const rssBytesMax = process.resourceUsage().maxRSS * 1024;
await index.stop();
const rows = await readRows(index.store, new Set(run.tokens));
for (const work of works.reverse()) await work();
const result: ScopeResult = { heapBytes, rssBytesMax, ...rows };
process.stdout.write(JSON.stringify(result));
