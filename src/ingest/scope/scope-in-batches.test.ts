// A scope finds the same rows in many small batches, with commits that fail, as in one large batch.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import {
  BUSY_DEPLOYMENT,
  BusyTraders,
  buildBusyToken,
  createBusyPool,
  startBusyChain,
} from '../../../test/fakes/busy-chain.ts';
import type { CommitFault } from '../../../test/fakes/failing-store.ts';
import { readIndex } from '../../../test/fakes/indexed-chain.ts';
import { startScopedIndex } from '../../../test/fakes/scoped-index.ts';
import { waitUntil } from '../../../test/wait-until.ts';
import type { ScopeEntry } from '../../model/scope.ts';
import type { MarketStore } from '../../store/store.ts';

const E18 = 10n ** 18n;
/** V2 only: whatever a failure made a scope forget, the next event tells a pool's whole state. */
const tokens = Array.from({ length: 20 }, (_, index) => buildBusyToken(3 * index, 'v2'));

const SCOPES = [
  {
    name: 'watch',
    readWatched: async () => tokens.slice(0, 10).map(({ token }) => token),
  },
  { name: 'liquid', floorUsdE18: 1000n * E18 },
] as const;

function startChain() {
  const chain = startBusyChain();
  tokens.forEach((one, index) => {
    chain.add([createBusyPool(one, index % 2 === 0 ? 20n * E18 : E18 / 100n)]);
  });
  new BusyTraders(chain, tokens, 5).mine(40, 5);
  // The last 200 blocks are read at once, whatever their batches are.
  for (let block = 0; block < 200; block += 1) chain.add([]);
  return chain;
}

async function readRows(store: MarketStore) {
  const entries: ScopeEntry[] = [];
  for await (const rows of store.scanScopeEntries('devnet')) entries.push(...rows);
  return { ...(await readIndex(store)), entries };
}

for (const scope of SCOPES) {
  test(`scope ${scope.name}`, async (t) => {
    const chain = startChain();
    const options = { deployment: BUSY_DEPLOYMENT, scope };
    const whole = await startScopedIndex(t, chain, options);
    await whole.settle();
    const faults: CommitFault[] = [null, null, 'before', null, null, 'after'];
    let commits = 0;
    const nextFault = async () => {
      // Long enough for the next batch to be read meanwhile.
      await setTimeout(20);
      return faults[commits++ % faults.length] ?? null;
    };
    const small = await startScopedIndex(t, chain, { ...options, blockCountMax: 3, nextFault });
    await small.settle();
    assert.ok(commits > 12, `${commits} commits`);
    for (const cause of ['the disk is full', 'the connection was lost']) {
      assert.ok(small.warnings.includes(`indexing failed ${cause}`), cause);
    }
    const readBoth = () => Promise.all([readRows(small.store), readRows(whole.store)]);
    // Supplies are read behind the blocks.
    await waitUntil(async () => isDeepStrictEqual(...(await readBoth()))).catch(() => undefined);
    const [rows, expected] = await readBoth();
    assert.ok(expected.trades.length > 50, `${expected.trades.length} trades`);
    assert.deepEqual(rows, expected);
  });
}
