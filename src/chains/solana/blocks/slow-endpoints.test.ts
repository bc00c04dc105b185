// Solana makes blocks faster than one cycle of calls takes: the index lives at the head all the
// same.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { SLOT_MS, startSlowSolana } from '../../../../test/fakes/slow-solana.ts';
import { POOL, TOKEN } from '../../../../test/fakes/solana-scene.ts';

type Slow = Awaited<ReturnType<typeof startSlowSolana>>;

/** Quotes are answered while the index is known to be current, at most this long ago. */
const QUOTED_MS = 30_000;

const NEAR_SLOTS = 10;

const findLag = ({ indexer, chain }: Slow) => chain.head - (indexer.status().block ?? 0);

/** For a while it follows all the time, and quotes would be answered all the time. */
async function assertLivesAtHead(slow: Slow): Promise<void> {
  const { indexer, time } = slow;
  await slow.until(() => findLag(slow) < NEAR_SLOTS, 'it does not get to the head');
  const lags: number[] = [];
  for (let sinceMs = 0; sinceMs < 1.5 * QUOTED_MS; sinceMs += SLOT_MS) {
    await time.sleep(SLOT_MS);
    const { state, currentAtMs } = indexer.status();
    assert.equal(state, 'following');
    assert.ok(time.monotonicMs() - (currentAtMs ?? 0) < QUOTED_MS);
    lags.push(findLag(slow));
  }
  const median = lags.sort((a, b) => a - b)[lags.length >> 1] ?? 0;
  assert.ok(median < NEAR_SLOTS, `it lags by ${median} slots`);
}

function start(t: TestContext, latencyMs: number, historySlots: number): Promise<Slow> {
  return startSlowSolana(t, { latencyMs, historySlots });
}

for (const latencyMs of [100, 180]) {
  test(`at ${latencyMs} ms a call it gets to the head of a long history, and stays there`, async (t) => {
    const slow = await start(t, latencyMs, 300);
    await assertLivesAtHead(slow);
    await slow.until(async () => {
      const [token] = await slow.store.readTokens('devnet', [TOKEN]);
      const [pool] = await slow.store.readPools('devnet', [POOL]);
      return token?.supplyRaw === 1_000_000_000n && token.decimals === 6 && pool?.complete === true;
    }, 'the supply, the name or the pool is missing');
    assert.equal(await slow.indexer.lookUp(TOKEN), 'found');
  });
}

for (const outageMs of [18_000, 180_000]) {
  test(`after an outage of ${outageMs / 1000} s at 60 ms a call it follows again`, async (t) => {
    const slow = await start(t, 60, 20);
    await assertLivesAtHead(slow);
    slow.node.misbehave(() => ({ do: 'reply', status: 502, text: 'bad gateway' }));
    await slow.time.sleep(outageMs);
    slow.node.misbehave(null);
    await assertLivesAtHead(slow);
  });
}

test('behind for longer than a minute, supplies are read and tokens looked up all the same', async (t) => {
  // Blocks come faster than they can be read.
  const slow = await start(t, 1500, 600);
  await slow.until(async () => {
    const [token] = await slow.store.readTokens('devnet', [TOKEN]);
    return token?.supplyRaw === 1_000_000_000n;
  }, 'the supply is not read');
  assert.equal(await slow.indexer.lookUp(TOKEN), 'found');
  assert.equal(slow.indexer.status().state, 'backfilling');
});
