// Random swaps through a stand-in of EulerSwap (test/contracts/euler-swap.sol): a pool is asked
// what it pays, the periphery is called as we encode it, and the log tells just that trade.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Abi, type Hex, parseAbi } from 'viem';
import { MAKER } from '../../../../../devnet/accounts.ts';
import { CODE } from '../../../../../test/contracts/euler-swap.gen.ts';
import { createRandom } from '../../../../../test/fakes/create-random.ts';
import { RUN_SEED } from '../../../../../test/run-seed.ts';
import { address } from '../../../../../test/test-ids.ts';
import { VenueChain } from '../../../../../test/venue-chain.ts';
import type { Address } from '../../../../model/ids.ts';
import type { EvmDeployment } from '../../data/deployments/evm-deployment.ts';
import { toPoolId } from '../../data/evm-ids.ts';
import { decodeAddressAt } from '../../data/hex-data.ts';
import { EVM_DEPLOYMENTS } from '../deployments.ts';
import { encodeVenueSwap } from '../encode-venue-swap.ts';
import { createLogDecoding } from '../log-decoding.ts';
import type { SwapPlan } from '../swap-plan.ts';
import { listSwapRouters } from '../swap-routers.ts';
import { eulerSwap } from './euler-swap.ts';

const ABI: Abi = parseAbi([
  'function open(address token0, address token1, uint256[2] held, uint256 limit)',
  'function approve(address spender, uint256 amount)',
  'function transfer(address to, uint256 amount)',
  'function sync()',
]);
const ETHER = 10n ** 18n;
const HELD = 1_000n * ETHER;
const LIMIT = 50n * ETHER;
const SWAP_COUNT = 100;
const seed = RUN_SEED;

async function openPool(chain: VenueChain) {
  const all = chain.create({ abi: ABI, bytecode: CODE as Hex });
  const tokens = chain.createTokens([18, 18]).map((token) => token.address);
  const [token0, token1] = tokens as [Address, Address];
  const call = (to: Address, functionName: string, args: readonly unknown[]) =>
    chain.call({ to, abi: ABI, functionName, args }, 4_000_000n);
  call(all, 'open', [token0, token1, [HELD, HELD], LIMIT]);
  const opened = (await chain.mine()).find((log) => log.address === all);
  const pool = decodeAddressAt(opened?.data ?? assert.fail('no pool'), 0);
  for (const token of tokens) {
    call(token, 'transfer', [pool, HELD]);
    call(token, 'approve', [all, HELD * 1000n]);
  }
  call(pool, 'sync', []);
  await chain.mine();
  return { all, pool };
}

it(`${SWAP_COUNT} random swaps pay what the pool was asked (seed ${seed})`, async () => {
  const random = createRandom(seed);
  const chain = await VenueChain.start();
  try {
    const { all, pool } = await openPool(chain);
    const deployment: EvmDeployment = {
      ...(EVM_DEPLOYMENTS['base'] ?? assert.fail()),
      eulerSwap: [{ venue: 'euler-swap-v2', factory: all }],
      routers: [{ name: 'e', kind: 'eulerSwap', address: all, venues: ['euler-swap-v2'] }],
    };
    const context = { deployment, callContracts: chain.callContracts };
    const asked = [toPoolId(pool), toPoolId(all)];
    const [description, ...others] = await eulerSwap.resolvePools(asked, context);
    assert.ok(description?.venue === 'euler-swap-v2' && others.length === 0);
    const router = listSwapRouters(deployment).find(({ name }) => name === 'e');
    assert.ok(router !== undefined && router.kind !== 'universal');
    const routerPool = eulerSwap.findTraded?.(description)?.toRouterPool(true, null);
    assert.ok(routerPool);
    const ask = async (zeroForOne: boolean, amount: bigint) => {
      const [way] =
        eulerSwap.listAsks?.({ pool: description as never, zeroForOne }, deployment) ?? [];
      const [answer = null] = await chain.callContracts([way?.encode(amount) ?? assert.fail()]);
      return answer === null ? null : (way?.decode(answer, amount) ?? null);
    };
    assert.equal(await ask(true, 2n * LIMIT), null, 'beyond its limits it answers nothing');
    const decoding = createLogDecoding(deployment, [eulerSwap]);
    const { token0, token1 } = description;
    for (let count = 0; count < SWAP_COUNT; count += 1) {
      const zeroForOne = random() < 0.5;
      const amount = BigInt(Math.ceil(10 ** (3 + random() * 16)));
      const paid = (await ask(zeroForOne, amount)) ?? assert.fail('no answer');
      const [tokenIn, tokenOut] = zeroForOne ? [token0, token1] : [token1, token0];
      const hops = [{ pool: routerPool, tokenIn, tokenOut }];
      const plan = (amountOutMin: bigint): SwapPlan => ({
        ...{ tokenIn, tokenOut, amountOutMin, outputTaxBps: 0, recipient: address(MAKER) },
        swapPaths: [{ takes: 'input', amountInRaw: amount, amountOutRaw: paid, hops }],
        deadlineSeconds: 4_000_000_000,
      });
      const { to, data } = encodeVenueSwap(plan(paid), router);
      const more = encodeVenueSwap(plan(paid + 1n), router);
      const sender = { from: MAKER };
      const [refused] = await chain.rpc.ask([
        { method: 'eth_call', params: [{ ...sender, to: more.to, data: more.data }, 'latest'] },
      ]);
      assert.equal(refused?.result, undefined, 'a unit more reverts');
      chain.send(to, data);
      const { blocks } = decoding.decode(await chain.mine());
      const swaps = blocks.flatMap(({ events }) => events.filter(({ kind }) => kind === 'swap'));
      const [event] = swaps;
      assert.ok(event?.kind === 'swap' && swaps.length === 1);
      const amounts = zeroForOne ? [amount, -paid] : [-paid, amount];
      assert.deepEqual([event.amount0, event.amount1], amounts);
    }
  } finally {
    await chain.stop();
  }
});
