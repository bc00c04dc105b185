// PancakeSwap's stable pools: 300 random swaps in contracts of ours by its formulas
// (test/contracts/pancake-stable.sol), followed by their logs and computed to the unit.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeFunctionData, type Hex, parseAbi, toEventSelector } from 'viem';
import { CODE as CALLER_CODE } from '../../../../../test/contracts/pool-caller.gen.ts';
import { CODE as POOL_CODE } from '../../../../../test/contracts/stable-pool.gen.ts';
import { CODE as ROUTER_CODE } from '../../../../../test/contracts/stable-router.gen.ts';
import { createTestContracts } from '../../../../../test/evm-logs.ts';
import { createRandom } from '../../../../../test/fakes/create-random.ts';
import { address } from '../../../../../test/test-ids.ts';
import { type NpmContract, VenueChain } from '../../../../../test/venue-chain.ts';
import type { PoolDraft } from '../../../../amm/pool-kind.ts';
import { stableSwapKind } from '../../../../amm/stable-swap/stable-swap-kind.ts';
import type { Address, PoolId } from '../../../../model/ids.ts';
import type { PoolDescription } from '../../../../model/pool.ts';
import { acceptEvents } from '../../blocks/accept-events.ts';
import { decodeBacked } from '../../blocks/decode-backed.ts';
import { listCoinPairs } from '../../data/evm-ids.ts';
import type { EvmLog } from '../../data/evm-log.ts';
import { addressWord, uintWord } from '../../data/hex-data.ts';
import { PoolDirectory } from '../../pools/pool-directory.ts';
import { EVM_DEPLOYMENTS } from '../../venues/deployments.ts';
import { createLogDecoding } from '../log-decoding.ts';
import { COIN_AS_TOKEN } from '../native-coin.ts';
import { curve } from './curve.ts';
import { PAIR_INFO_SELECTOR, PANCAKE_TOPICS } from './pancake-stable.ts';

const BSC = EVM_DEPLOYMENTS.bsc ?? assert.fail();
const CALLER: NpmContract = {
  abi: parseAbi(['function run(address target, bytes data)']),
  bytecode: CALLER_CODE as Hex,
};
const POOL: NpmContract = {
  abi: parseAbi([
    'constructor(address[] coins, uint256 amplification, uint256 fee, uint256 adminFee)',
    'function donate_admin_fees()',
    'function ramp_A(uint256 to, uint256 until)',
    'function kill_me()',
    'function exchange(uint256 i, uint256 j, uint256 amount, uint256 least) payable',
    'function balances(uint256 coin) view returns (uint256)',
  ]),
  bytecode: POOL_CODE as Hex,
};
const FACTORY: NpmContract = {
  abi: parseAbi([
    'constructor(address wrapped)',
    'function register(address pool, address[] coins)',
  ]),
  bytecode: ROUTER_CODE as Hex,
};
const ERC20_ABI = parseAbi([
  'function approve(address spender, uint256 amount) returns (bool)',
  'function transfer(address to, uint256 amount) returns (bool)',
]);
const NO_TICKS = { get: () => undefined, change: () => true, order: [] };
const SWAP_COUNT = 300;
const SWAPS_PER_BLOCK = 50;

interface PoolPlan {
  readonly decimals: readonly number[];
  /** Of the first coin; of the second there is twice as much. */
  readonly held: bigint;
  readonly amplification: bigint;
  /** In 1e-10, as is what leaves the pool of a fee. */
  readonly fee: bigint;
  readonly adminFee: bigint;
}

const MILLION = 10n ** 24n;
const PLANS: readonly PoolPlan[] = [
  {
    ...{ decimals: [18, 6], held: MILLION, amplification: 1000n },
    ...{ fee: 1_000_000n, adminFee: 5_000_000_000n },
  },
  {
    ...{ decimals: [18, 8, 6], held: MILLION, amplification: 50n },
    ...{ fee: 4_000_000n, adminFee: 10_000_000_000n },
  },
  // A few units: every rounding shows.
  {
    ...{ decimals: [18, 18, 18], held: 3000n, amplification: 3n },
    ...{ fee: 40_000_000n, adminFee: 5_000_000_000n },
  },
];

type Row = PoolDraft<'stableSwap'>;

class StableScene {
  readonly chain: VenueChain;
  readonly pool: Address;
  readonly coins: readonly { readonly address: Address; readonly decimals: number }[];
  readonly rows = new Map<PoolId, Row>();
  readonly #caller: Address;
  readonly #directory: PoolDirectory;
  readonly deployment: typeof BSC;

  private constructor(
    chain: VenueChain,
    parts: Pick<StableScene, 'pool' | 'coins'> & { caller: Address; factory: Address },
  ) {
    this.chain = chain;
    [this.pool, this.coins, this.#caller] = [parts.pool, parts.coins, parts.caller];
    this.deployment = { ...BSC, pancakeStable: [parts.factory] };
    const { deployment } = this;
    this.#directory = new PoolDirectory({ deployment, knownPools: async () => [] });
  }

  static async start({
    decimals,
    held,
    amplification,
    fee,
    adminFee,
  }: PoolPlan): Promise<StableScene> {
    const chain = await VenueChain.start();
    const caller = chain.create(CALLER);
    const coins = chain.createTokens(decimals, [caller]);
    const addresses = coins.map((coin) => coin.address);
    const pool = chain.create(POOL, [addresses, amplification, fee, adminFee]);
    const factory = chain.create(FACTORY, [caller]);
    const register = { to: factory, abi: FACTORY.abi, functionName: 'register' };
    chain.call({ ...register, args: [pool, addresses] });
    const scene = new StableScene(chain, { pool, coins, caller, factory });
    for (const [index, { address: to, decimals: places }] of coins.entries()) {
      const amount = (held * (index === 1 ? 2n : 1n)) / 10n ** BigInt(18 - places);
      chain.call({ to, abi: ERC20_ABI, functionName: 'transfer', args: [pool, amount] });
      scene.run(to, ERC20_ABI, 'approve', [pool, 2n ** 255n]);
    }
    scene.call('donate_admin_fees');
    await chain.mine();
    return scene;
  }

  run(to: Address, abi: NpmContract['abi'], functionName: string, args: readonly unknown[]): void {
    const data = encodeFunctionData({ abi, functionName, args });
    const call = { to: this.#caller, abi: CALLER.abi, functionName: 'run', args: [to, data] };
    this.chain.call(call);
  }

  call(functionName: string, args: readonly unknown[] = []): void {
    this.chain.call({ to: this.pool, abi: POOL.abi, functionName, args });
  }

  /** As the index does: events of real pools, and each pool read when it is first met. */
  async follow(log: EvmLog): Promise<void> {
    const { deployment, chain } = this;
    const { decoded } = await decodeBacked([log], {
      ...{ decoding: createLogDecoding(deployment), directory: this.#directory },
      ...{ hasAllTransfers: true, callContracts: chain.callContracts },
    });
    const { blocks } = acceptEvents(decoded, this.#directory, { describesPools: false });
    for (const event of blocks.flatMap(({ events }) => events)) {
      if (event.kind !== 'swap' && event.kind !== 'poolChanged') continue;
      const row = this.rows.get(event.pool);
      const swapped = event.kind === 'swap' ? event : null;
      if (row === undefined || event.change === null) continue;
      stableSwapKind.apply(row, event.change as never, { ticks: NO_TICKS, swapped });
    }
  }

  /** All rows, from the contracts as they are now. */
  async readRows(): Promise<void> {
    const { deployment, chain } = this;
    const context = { deployment, callContracts: chain.callContracts };
    const ids = listCoinPairs(this.pool, this.coins.length);
    const found = await curve.resolvePools(ids, context);
    assert.deepEqual(found.map(({ pool }) => pool).sort(), [...ids].sort());
    for (const description of found) {
      const query = { description, covered: null, callCountMax: 1, wordCountMax: 1 };
      const page = (await curve.readPoolPage(query, context)) ?? assert.fail();
      const state = stableSwapKind.assembleState(page.state as never, []) ?? assert.fail();
      this.rows.set(description.pool, { ...description, state, complete: true } as Row);
    }
  }

  async readBalances(): Promise<string> {
    const answers = await this.chain.callContracts(
      this.coins.map((_, coin) => ({ to: this.pool, data: `0x4903b0d1${uintWord(coin)}` })),
    );
    return answers.map((answer) => BigInt(answer ?? '0x')).join(' ');
  }
}

/** The row of two coins, and whether its first one is sold. */
function findRow(scene: StableScene, i: number, j: number) {
  const row = [...scene.rows.values()].find(({ state }) => {
    return state.index0 === Math.min(i, j) && state.index1 === Math.max(i, j);
  });
  return { row: row ?? assert.fail(), zeroForOne: i < j };
}

const EXCHANGE = '0xb2e76ae99761dc136e598d4a629bb347eccb9532a5f8bbd72e18467c3c34cc98';

describe("PancakeSwap's stable pools", () => {
  for (const plan of PLANS) {
    it(`with ${plan.decimals} decimals: ${SWAP_COUNT} random swaps are computed`, async () => {
      const scene = await StableScene.start(plan);
      try {
        await scene.readRows();
        const random = createRandom(41);
        const { length } = scene.coins;
        const swaps = Array.from({ length: SWAP_COUNT }, () => {
          const i = Math.floor(random() * length);
          const j = (i + 1 + Math.floor(random() * (length - 1))) % length;
          // From dust to a tenth of the pool.
          const scale = 10 ** (18 - (scene.coins[i]?.decimals ?? 18));
          const size = (Number(plan.held) / scale / 10) ** random();
          return { i, j, amount: BigInt(Math.ceil(size)) };
        });
        let count = 0;
        for (let at = 0; at < swaps.length; at += SWAPS_PER_BLOCK) {
          const queued = swaps.slice(at, at + SWAPS_PER_BLOCK);
          for (const { i, j, amount } of queued) {
            scene.run(scene.pool, POOL.abi, 'exchange', [BigInt(i), BigInt(j), amount, 0n]);
          }
          const logs = (await scene.chain.mine()).filter(({ topics }) => topics[0] === EXCHANGE);
          for (const [index, log] of logs.entries()) {
            const { i, j, amount } = queued[index] ?? assert.fail();
            const { row, zeroForOne } = findRow(scene, i, j);
            const pool = stableSwapKind.createSwapPool(row, [], undefined) ?? assert.fail();
            const paid = BigInt(`0x${log.data.slice(2 + 3 * 64)}`);
            const swap = pool.swapIn(zeroForOne, amount);
            assert.deepEqual([swap.isFilled, swap.amountOut], [true, paid], `swap ${count}`);
            await scene.follow(log);
            count += 1;
          }
          const balances = await scene.readBalances();
          for (const { state, complete } of scene.rows.values()) {
            assert.deepEqual([complete, state.balances], [true, balances]);
          }
        }
        assert.equal(count, SWAP_COUNT);
      } finally {
        await scene.chain.stop();
      }
    });
  }

  it('are read again after liquidity changed, inexact while A moves, and closed if killed', async () => {
    const scene = await StableScene.start(PLANS[0] ?? assert.fail());
    try {
      const flagsAfter = async (functionName: string, args: readonly unknown[] = []) => {
        await scene.readRows();
        scene.call(functionName, args);
        for (const log of await scene.chain.mine()) await scene.follow(log);
        const [row = assert.fail()] = scene.rows.values();
        assert.deepEqual([row.complete, row.state.flags], [false, 'unread'], functionName);
        await scene.readRows();
        return [...scene.rows.values()][0]?.state.flags;
      };
      assert.equal(await flagsAfter('donate_admin_fees'), '');
      assert.equal(await flagsAfter('ramp_A', [2000n, 2n ** 40n]), 'ramping');
      assert.equal(await flagsAfter('kill_me'), 'closed ramping');
    } finally {
      await scene.chain.stop();
    }
  });

  it('are found by their tokens, in pools of two coins and of three', async () => {
    for (const plan of PLANS.slice(0, 2)) {
      const scene = await StableScene.start(plan);
      try {
        const [one, two] = scene.coins.map((coin) => coin.address) as [Address, Address];
        const { chain, deployment } = scene;
        const context = { deployment, callContracts: chain.callContracts };
        const search = { token: two, quotes: [one], announced: [] };
        const found = await curve.findPools(search, context);
        assert.deepEqual(
          found.map(({ pool, token0, token1, kind }) => [pool, token0, token1, kind]),
          [[listCoinPairs(scene.pool, plan.decimals.length)[0], one, two, 'stableSwap']],
        );
      } finally {
        await scene.chain.stop();
      }
    }
  });

  it('are known to have changed by each log of theirs that tells it', () => {
    const lists = ['uint256[2]', 'uint256[3]'].flatMap((list) => [
      `AddLiquidity(address indexed,${list},${list},uint256,uint256)`,
      `RemoveLiquidity(address indexed,${list},${list},uint256)`,
      `RemoveLiquidityImbalance(address indexed,${list},${list},uint256,uint256)`,
    ]);
    const others = [
      'RemoveLiquidityOne(address indexed,uint256,uint256,uint256)',
      ...['NewFee(uint256,uint256)', 'DonateAdminFees()', 'Kill()', 'Unkill()'],
    ];
    const expected = [...lists, ...others].map((event): [string, number] => [
      toEventSelector(`event ${event}`),
      event.includes('indexed') ? 2 : 1,
    ]);
    assert.deepEqual([...PANCAKE_TOPICS].sort(), expected.sort());
    const { topics } = createLogDecoding(BSC);
    for (const [topic] of expected) assert.ok(topics.includes(topic));
    const elsewhere = createLogDecoding(EVM_DEPLOYMENTS.polygon ?? assert.fail());
    for (const [topic] of expected) assert.ok(!elsewhere.topics.includes(topic));
  });

  it('that hold the native coin are stored by their trades alone', async () => {
    const [pool, token] = [address(`0x${'9'.repeat(40)}`), address(`0x${'a'.repeat(40)}`)];
    const [factory = assert.fail()] = BSC.pancakeStable ?? [];
    const word = (one: Address) => `0x${addressWord(one)}`;
    const asked = `${PAIR_INFO_SELECTOR}${addressWord(token)}${addressWord(COIN_AS_TOKEN)}`;
    const callContracts = createTestContracts(
      new Map([
        [`${pool} 0xc6610657${uintWord(0)}`, word(token)],
        [`${pool} 0xc6610657${uintWord(1)}`, word(COIN_AS_TOKEN)],
        [`${factory} ${asked}`, word(pool)],
      ]),
    );
    const context = { deployment: BSC, callContracts };
    const found = await curve.resolvePools(listCoinPairs(pool, 2), context);
    assert.deepEqual(
      found.map(({ kind, venue }: PoolDescription) => [kind, venue]),
      [['tradesOnly', 'pancakeswap-stable']],
    );
  });
});
