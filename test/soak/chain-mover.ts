// Drives the chain of a soak: trades on every venue, and occasional reorganisations.

import { POOL_LIST } from '../../devnet/pool-list.ts';
import type { TestChain } from '../../devnet/test-chain.ts';
import { repeat, type Stage } from './actors.ts';

const TRADE_EVERY_MS = 150;
const REORG_ONE_IN = 40;
const REORG_DEPTH_MAX = 8;

/** Pools that are bought from with the native coin, so that no trader runs out of tokens. */
const POOLS = POOL_LIST.filter(
  ({ quote, hooked, token }) =>
    (quote === 'weth' || quote === 'eth') && !hooked && token !== 'trap',
);

/**
 * One at a time: a block mined during anvil_reorg leaves the node with a gap, or with a state that
 * contradicts its logs. That is also why no miner runs here.
 */
export function runChain(stage: Stage, chain: TestChain): Promise<void> {
  return repeat(stage, { kind: 'chain', restMs: TRADE_EVERY_MS }, async () => {
    if (Math.random() * REORG_ONE_IN < 1) {
      await chain.reorg(1 + Math.floor(Math.random() * REORG_DEPTH_MAX));
      await chain.rpc.call('anvil_setTime', Math.floor(Date.now() / 1000));
      await chain.mine(1);
      stage.tally.add('reorganisation');
      return;
    }
    const pool = POOLS[Math.floor(Math.random() * POOLS.length)];
    if (pool === undefined) throw new Error('the devnet has no pools');
    const { token, venue, quote } = pool;
    const amountInRaw = 10n ** 15n * BigInt(1 + Math.floor(Math.random() * 50));
    await chain.buy({ token, venue, quote, amountInRaw });
    stage.tally.add('trade on the chain');
  });
}
