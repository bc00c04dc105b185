// A service that began late on the embedded Solana chain: when somebody asks for a token that is
// older, its holders become those that an index of the whole chain has.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Json } from '../market-scene.ts';
import { SLUG, type SolanaTradeService, startSolanaTradeService } from '../solana-trade-service.ts';
import { createTempFolder, startServiceProcess } from '../start-service-process.ts';
import { LIMITS, until } from '../trade-service.ts';

/** As many as the chain needs to make a block final. */
const FINAL_BLOCKS = 34;
const BLOCK_MS = 400;
const SYMBOLS = ['BOLT', 'MIST', 'GRAM', 'NOVA'];

/** Null while the service starts, or has not met the token yet. */
async function readJson(origin: string, path: string): Promise<Json> {
  const answer = await fetch(`${origin}/v1${path}`);
  assert.ok([200, 404, 503].includes(answer.status), `${path}: ${answer.status}`);
  return answer.status === 200 ? ((await answer.json()) as Json) : null;
}

function sealBlocks(scene: SolanaTradeService, count: number): void {
  for (let done = 0; done < count; done += 1) scene.seal();
}

test('holders of older tokens are complete once somebody asked for them', async (t) => {
  const scene = await startSolanaTradeService(t, { coinCount: 1 });
  const [first, second] = scene.scene.wallets.testers;
  scene.fund(first?.address ?? assert.fail(), 500);
  scene.seal();
  const start = scene.chain.head.slot;
  const env = { ...scene.env, ...LIMITS, DATA_DIR: createTempFolder(t) };
  const late = await startServiceProcess(t, {
    env: { ...env, START_BLOCK_DEVNET_SOLANA: String(start) },
  });
  // The late index meets the tokens with these transfers.
  scene.fund(second?.address ?? assert.fail(), 700);
  sealBlocks(scene, FINAL_BLOCKS);
  for (const symbol of SYMBOLS) {
    const of = `chain=${SLUG}&mint=${scene.mintOf(symbol)}`;
    await until(`holders of ${symbol} are complete`, async () => {
      scene.seal();
      // Supplies are read at the head: the index must get there between two blocks.
      await sleep(BLOCK_MS);
      const token = await readJson(late.origin, `/token?${of}`);
      return token?.coverage.holdersComplete === true;
    });
    await scene.settle();
    const path = `/token/holders?${of}&limit=100`;
    const [own, full] = [
      await readJson(late.origin, path),
      await readJson(scene.service.origin, path),
    ];
    assert.ok(full.total > 2);
    assert.deepEqual(own.holders, full.holders);
    assert.deepEqual([own.total, own.totalSupplyRaw], [full.total, full.totalSupplyRaw]);
    assert.equal(own.coverage.backfill.status, 'done');
  }
});
