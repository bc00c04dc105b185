// Random swaps in Balancer's real vault and weighted pools, as npm has them: rows that are read
// from the contracts and follow the logs compute each of them to the unit.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeAbiParameters, type Hex, maxUint256 } from 'viem';
import { MAKER } from '../../../../../devnet/accounts.ts';
import { ERC20_ABI } from '../../../../../devnet/dex-abi.ts';
import { createRandom } from '../../../../../test/fakes/create-random.ts';
import { FollowedRows } from '../../../../../test/follow-vault-rows.ts';
import { type NpmContract, readNpmContract, VenueChain } from '../../../../../test/venue-chain.ts';
import { weightedKind } from '../../../../amm/weighted/weighted-kind.ts';
import type { Address } from '../../../../model/ids.ts';
import type { EvmDeployment } from '../../data/deployments/evm-deployment.ts';
import { evmAddress } from '../../data/evm-ids.ts';
import { toTopicAddress } from '../../data/hex-data.ts';
import { EVM_DEPLOYMENTS } from '../../venues/deployments.ts';
import { buildRowId } from './vault-rows.ts';

const TASKS = '@balancer-labs/v2-deployments/dist/tasks';
const VAULT = readNpmContract(
  `${TASKS}/20210418-vault/abi/Vault.json`,
  `${TASKS}/20210418-vault/bytecode/Vault.json`,
);
const DAY_S = 86_400n;
/** Answers every call with a zero: no protocol takes a part of the fees. */
const ZEROS = { address: evmAddress(`0x${'f'.repeat(40)}`), code: '0x60206000f3' };
const FACTORY_GAS = 14_000_000n;
const POOL_GAS = 9_000_000n;
const SWAP_GAS = 600_000n;
const SWAPS_PER_POOL = 75;
const E16 = 10n ** 16n;

interface PoolPlan {
  readonly name: string;
  readonly isFirst: boolean;
  readonly decimals: readonly number[];
  readonly percents: readonly bigint[];
  readonly swapFee: bigint;
  readonly factory: NpmContract;
  listFactoryArgs(vault: Address): readonly unknown[];
  listPoolArgs(tokens: readonly Address[], weights: readonly bigint[]): readonly unknown[];
}

function readFirst(name: string): NpmContract {
  const folder = `${TASKS}/20210418-weighted-pool`;
  return readNpmContract(`${folder}/abi/${name}.json`, `${folder}/bytecode/${name}.json`);
}

function readLater(task: string): NpmContract {
  return readNpmContract(`${TASKS}/${task}/artifact/WeightedPoolFactory.json`);
}

const FEE = 3n * 10n ** 15n;

const PLANS: readonly PoolPlan[] = [
  {
    ...{ name: 'the first factory', isFirst: true, swapFee: FEE },
    ...{ decimals: [18, 6, 8], percents: [50n, 25n, 25n] },
    factory: readFirst('WeightedPoolFactory'),
    listFactoryArgs: (vault) => [vault],
    listPoolArgs: (tokens, weights) => ['P', 'P', tokens, weights, FEE, MAKER],
  },
  {
    ...{ name: 'the factory of pools with an oracle', isFirst: true, swapFee: FEE },
    ...{ decimals: [18, 18], percents: [80n, 20n] },
    factory: readFirst('WeightedPool2TokensFactory'),
    listFactoryArgs: (vault) => [vault],
    listPoolArgs: (tokens, weights) => ['P', 'P', tokens, weights, FEE, true, MAKER],
  },
  {
    ...{ name: 'the factory of 2022', isFirst: false, swapFee: FEE },
    ...{ decimals: [6, 18], percents: [50n, 50n] },
    factory: readLater('20220908-weighted-pool-v2'),
    listFactoryArgs: (vault) => [vault, ZEROS.address],
    listPoolArgs: (tokens, weights) => [
      ...['P', 'P', tokens, weights],
      ...[tokens.map(() => `0x${'0'.repeat(40)}`), FEE, MAKER],
    ],
  },
  {
    ...{ name: 'the factory of 2023', isFirst: false, swapFee: FEE },
    ...{ decimals: [18, 6, 18, 8], percents: [41n, 13n, 19n, 27n] },
    factory: readLater('20230206-weighted-pool-v3'),
    listFactoryArgs: (vault) => [vault, ZEROS.address, 'factory', 'pool'],
    listPoolArgs: (tokens, weights) => [
      ...['P', 'P', tokens, weights],
      ...[tokens.map(() => `0x${'0'.repeat(40)}`), FEE, MAKER],
    ],
  },
];

interface OpenPool {
  readonly plan: PoolPlan;
  readonly factory: Address;
  readonly poolWord: Hex;
  readonly tokens: readonly { readonly address: Address; readonly decimals: number }[];
}

function queueApproval(chain: VenueChain, token: Address, vault: Address): void {
  const approve = { to: token, abi: ERC20_ABI, functionName: 'approve' };
  chain.call({ ...approve, args: [vault, maxUint256] });
}

async function openPool(chain: VenueChain, vault: Address, plan: PoolPlan): Promise<OpenPool> {
  const factory = chain.create(plan.factory, plan.listFactoryArgs(vault), FACTORY_GAS);
  const tokens = chain.createTokens(plan.decimals);
  const addresses = tokens.map(({ address }) => address);
  for (const token of addresses) queueApproval(chain, token, vault);
  const args = plan.listPoolArgs(
    addresses,
    plan.percents.map((percent) => percent * E16),
  );
  chain.call({ to: factory, abi: plan.factory.abi, functionName: 'create', args }, POOL_GAS);
  const logs = await chain.mine();
  const created = logs.find(({ address }) => address === factory);
  const pool = toTopicAddress(created?.topics[1]);
  const word = logs.map(({ topics }) => topics[1] ?? '').find((one) => one.startsWith(pool ?? '?'));
  return { plan, factory, poolWord: (word ?? assert.fail('no pool')) as Hex, tokens };
}

function queueJoin(chain: VenueChain, vault: Address, { poolWord, tokens }: OpenPool): void {
  const assets = tokens.map(({ address }) => address);
  const amounts = tokens.map(
    ({ decimals }, index) => BigInt(index + 2) * 10n ** BigInt(decimals + 4),
  );
  const types = [{ type: 'uint256' }, { type: 'uint256[]' }] as const;
  const userData = encodeAbiParameters(types, [0n, amounts]);
  const request = { assets, maxAmountsIn: amounts, userData, fromInternalBalance: false };
  const join = { to: vault, abi: VAULT.abi, functionName: 'joinPool' };
  chain.call({ ...join, args: [poolWord, MAKER, MAKER, request] });
}

interface RandomSwap {
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  readonly kind: 'in' | 'out';
  readonly amount: bigint;
}

/** Up to a tenth of a balance, which few swaps in a row can exhaust. */
function drawSwap({ tokens }: OpenPool, random: () => number): RandomSwap {
  const from = Math.floor(random() * tokens.length);
  const to = (from + 1 + Math.floor(random() * (tokens.length - 1))) % tokens.length;
  const [tokenIn, tokenOut] = [tokens[from] ?? assert.fail(), tokens[to] ?? assert.fail()];
  const kind = random() < 0.35 ? 'out' : 'in';
  const { decimals } = kind === 'in' ? tokenIn : tokenOut;
  const amount = BigInt(Math.ceil(10 ** (decimals + 3.2 - random() * (decimals + 3))));
  return { tokenIn: tokenIn.address, tokenOut: tokenOut.address, kind, amount };
}

function queueSwap(chain: VenueChain, vault: Address, poolWord: Hex, one: RandomSwap): void {
  const { tokenIn, tokenOut, kind, amount } = one;
  const swap = {
    ...{ poolId: poolWord, kind: kind === 'in' ? 0 : 1, assetIn: tokenIn, assetOut: tokenOut },
    ...{ amount, userData: '0x' },
  };
  const funds = {
    ...{ sender: MAKER, fromInternalBalance: false, recipient: MAKER, toInternalBalance: false },
  };
  const limit = kind === 'in' ? 0n : maxUint256;
  const call = { to: vault, abi: VAULT.abi, functionName: 'swap' };
  chain.call({ ...call, args: [swap, funds, limit, maxUint256] }, SWAP_GAS);
}

/** What the row says of the swap before it is applied. */
function compute({ rows }: FollowedRows, { poolWord }: OpenPool, one: RandomSwap) {
  const { tokenIn, tokenOut, kind, amount } = one;
  const zeroForOne = tokenIn < tokenOut;
  const pair = zeroForOne ? ([tokenIn, tokenOut] as const) : ([tokenOut, tokenIn] as const);
  const row = rows.get(buildRowId(poolWord, pair) ?? assert.fail()) ?? assert.fail('no row');
  assert.equal(row.complete, true);
  const pool = weightedKind.createSwapPool(row, [], undefined) ?? assert.fail('not quoted');
  const swap = kind === 'in' ? pool.swapIn(zeroForOne, amount) : pool.swapOut(zeroForOne, amount);
  return zeroForOne ? [swap.amountIn, -swap.amountOut] : [-swap.amountOut, swap.amountIn];
}

/** What the rows came to by the logs is what the contracts say of them now. */
async function assertReadAgain(rows: FollowedRows): Promise<void> {
  const followed = new Map(rows.rows);
  rows.rows.clear();
  for (const [id, { state, ...description }] of followed) {
    await rows.adopt([{ kind: 'poolCreated', description: description as never, complete: false }]);
    assert.deepEqual(rows.rows.get(id)?.state, state, `row ${id}`);
  }
}

async function comparePool(chain: VenueChain, vault: Address, plan: PoolPlan): Promise<number> {
  const open = await openPool(chain, vault, plan);
  queueJoin(chain, vault, open);
  const listed = [open.factory];
  const weighted = plan.isFirst ? { first: listed, later: [] } : { first: [], later: listed };
  const deployment: EvmDeployment = {
    ...(EVM_DEPLOYMENTS.ethereum ?? assert.fail()),
    balancer: [{ venue: 'balancer-v2', vault, version: 2, weighted }],
  };
  const rows = new FollowedRows({ deployment, callContracts: chain.callContracts });
  await rows.adopt(await rows.accept(await chain.mine()));
  assert.equal(rows.rows.size, (open.tokens.length * (open.tokens.length - 1)) / 2);
  const random = createRandom(plan.decimals.length * 31);
  const swaps = Array.from({ length: SWAPS_PER_POOL }, () => drawSwap(open, random));
  for (const one of swaps) queueSwap(chain, vault, open.poolWord, one);
  let count = 0;
  for (const event of await rows.accept(await chain.mine())) {
    if (event.kind === 'swap') {
      const one = swaps[count] ?? assert.fail();
      const what = `${plan.name}, swap ${count}: ${one.kind} ${one.amount}`;
      assert.deepEqual(compute(rows, open, one), [event.amount0, event.amount1], what);
      count += 1;
    }
    rows.apply(event);
  }
  await assertReadAgain(rows);
  return count;
}

describe('300 random swaps of the vault on npm', () => {
  it('are computed to the unit, of given inputs and outputs, whatever factory made the pool', async () => {
    const chain = await VenueChain.start();
    try {
      await chain.rpc.call('anvil_setCode', ZEROS.address, ZEROS.code);
      const terms = [ZEROS.address, ZEROS.address, 90n * DAY_S, 30n * DAY_S];
      const vault = chain.create(VAULT, terms, FACTORY_GAS);
      let count = 0;
      for (const plan of PLANS) count += await comparePool(chain, vault, plan);
      assert.equal(count, 300);
    } finally {
      await chain.stop();
    }
  });
});
