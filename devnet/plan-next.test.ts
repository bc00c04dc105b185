// The traders' choices, without a chain: repeatable, varied and bounded.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { before } from '../test/root-hooks.ts';
import { MAKER } from './accounts.ts';
import type { BlockWriter } from './block-writer.ts';
import { queueContracts, queueTokens } from './deploy-contracts.ts';
import { queuePools } from './deploy-pools.ts';
import type { Deployment } from './deployment.ts';
import { advanceDrift, createDevnetMarket, type DevnetMarket } from './market.ts';
import { planNext } from './plan-next.ts';
import { createSeededRandom } from './random.ts';

let deployment: Deployment;

before(() => {
  let nonce = 0;
  const writer: BlockWriter = {
    queue: () => {
      nonce += 1;
    },
    queuedCount: 0,
    nonceOf: () => nonce,
    mine: async () => [],
  };
  const contracts = queueContracts(writer);
  const tokens = queueTokens(writer);
  const pools = queuePools({ writer, contracts, tokens });
  deployment = {
    ...{ chainId: 1337, instance: '', rpcUrl: '', startBlock: 0, genesisTimestamp: 0, seed: '' },
    ...{ contracts, tokens, pools, anchorPools: [], accounts: [] },
  };
});

function play(seed: string, actions: number): { market: DevnetMarket; trace: string[] } {
  const market = createDevnetMarket(deployment);
  const random = createSeededRandom(seed);
  const trace: string[] = [];
  for (let n = 0; n < actions; n++) {
    advanceDrift(market, random, 150);
    for (const tx of planNext(market, random)) trace.push(`${tx.from} ${tx.to} ${tx.data}`);
  }
  return { market, trace };
}

test('equal seeds give equal markets, different seeds different ones', () => {
  const { trace } = play('one', 300);
  assert.deepEqual(play('one', 300).trace, trace);
  assert.notDeepEqual(play('two', 300).trace, trace);
});

test('prices wander but stay within bounds over weeks', () => {
  const { market } = play('weeks', 8_000);
  for (const { pool, deviation, scale } of market.pools) {
    const name = `${pool.token} on ${pool.venue}`;
    assert.ok(Math.abs(deviation) < 0.75, `${name} went to ${deviation}`);
    assert.ok(scale > 0.7 && scale < 1.5, `${name} has ${scale} of its liquidity`);
  }
  assert.ok(market.pools.some(({ deviation }) => Math.abs(deviation) > 0.02));
});

test('no trader spends more of a token than it is known to hold', () => {
  const { market } = play('thrift', 5_000);
  const negative = [...market.holdings].filter(([, amount]) => amount < 0n);
  // The maker sells what it kept back, which is not counted here.
  assert.deepEqual(
    negative.filter(([key]) => !key.startsWith(MAKER)),
    [],
  );
});
