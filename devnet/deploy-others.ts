// Deploys other exchanges beside Uniswap and opens a few pools there: stand-ins of Aerodrome V2,
// PancakeSwap's V3 factory and pools behind stand-ins of its deployer and router, Balancer's vault
// with a weighted pool, and stand-ins of Curve.

import {
  type Abi,
  type Address,
  encodeAbiParameters,
  encodeDeployData,
  encodeFunctionData,
  type Hex,
  maxUint256,
  parseAbiParameters,
} from 'viem';
import { computeSquareRoot } from '../src/lib/bigint-bounds.ts';
import { MAKER } from './accounts.ts';
import { type Artifact, readArtifact, readBalancerArtifact } from './artifacts.ts';
import { readCompiledContracts } from './compile-contracts.ts';
import { queueCreate } from './deploy-contracts.ts';
import { queueCurve, queueCurveOpening } from './deploy-curve.ts';
import {
  computeDepthRaw,
  computeOpening,
  describePool,
  findCurrency,
  type PoolScene,
  planTicks,
  RANGES,
} from './deploy-pools.ts';
import type { Deployment, DevnetPool, OtherContracts } from './deployment.ts';
import { ERC20_ABI, WETH_ABI } from './dex-abi.ts';
import type { JsonRpc } from './json-rpc.ts';
import { BALANCER_ABI, PANCAKE_ABI, SOLIDLY_ABI } from './other-abi.ts';
import { isStablePair, OTHER_POOL_LIST, type OtherVenue } from './pool-list.ts';

/** Holds the creation code of PancakeSwap's pools for their deployer. */
const POOL_CODE: Address = '0x0000000000000000000000000000000000c0de01';
const WRAPPED = 1_000n * 10n ** 18n;
const APPROVE_GAS = 80_000n;
const CREATE_GAS = 8_000_000n;
const FILL_GAS = 900_000n;
const WEIGHTED_FEE = 3n * 10n ** 15n;
/** WIRE has half of the weight, the others share the rest. */
const WEIGHTED: readonly { readonly key: string; readonly weight: bigint }[] = [
  { key: 'wire', weight: 50n },
  { key: 'weth', weight: 25n },
  { key: 'usdc', weight: 25n },
];
const WEIGHT_UNIT = 10n ** 16n;
/** What a quarter of the weighted pool is worth in dollars. */
const WEIGHTED_DEPTH_USD = 400_000n;
const PAUSE_WINDOW_S = 90n * 86_400n;
const BUFFER_S = 30n * 86_400n;

type OtherPool = Omit<DevnetPool, 'id'>;
/** Those whose contracts decide the ids of their pools. */
type QueuedVenue = Exclude<OtherVenue, 'curve'>;

function encodeInit({ abi, bytecode }: Artifact, args: readonly unknown[]): Hex {
  return encodeDeployData({ abi, bytecode, args });
}

function queueCall(
  { writer }: PoolScene,
  call: { to: Address; abi: Abi; functionName: string; args: readonly unknown[] },
  gas = FILL_GAS,
): void {
  const { to, abi, functionName, args } = call;
  writer.queue({ from: MAKER, to, data: encodeFunctionData({ abi, functionName, args }), gas });
}

function queueExchanges({ writer, contracts }: PoolScene): OtherContracts {
  const { contracts: compiled } = readCompiledContracts();
  const create = (artifact: Artifact | undefined, ...args: unknown[]): Address => {
    if (artifact === undefined) throw new Error('a stand-in is not compiled');
    return queueCreate(writer, encodeInit(artifact, args));
  };
  const { weth } = contracts;
  const solidlyFactory = create(compiled['SolidlyFactoryStandIn']);
  const solidlyRouter = create(compiled['SolidlyRouterStandIn'], solidlyFactory, weth);
  const deployer = create(compiled['RangeDeployerStandIn'], POOL_CODE);
  const pancakeFactory = create(readArtifact('PancakeV3Factory'), deployer);
  const pancakeRouter = create(compiled['SmartRouterStandIn'], pancakeFactory, weth);
  const terms = [PAUSE_WINDOW_S, BUFFER_S];
  const balancerVault = create(readBalancerArtifact('Vault'), MAKER, weth, ...terms);
  const factory = readBalancerArtifact('WeightedPoolFactory');
  const weightedFactory = create(factory, balancerVault);
  return {
    ...{ solidlyFactory, solidlyRouter, pancakeFactory, pancakeRouter },
    ...{ balancerVault, weightedFactory },
  };
}

/** In the order of their addresses, as the vault wants them. */
function listWeighted(scene: PoolScene) {
  return WEIGHTED.map(({ key, weight }) => ({
    address: findCurrency(scene, key),
    weight: weight * WEIGHT_UNIT,
    amount: (computeDepthRaw(key, WEIGHTED_DEPTH_USD) * weight) / 25n,
  })).sort((a, b) => (BigInt(a.address) < BigInt(b.address) ? -1 : 1));
}

function queueCreations(
  scene: PoolScene,
  others: OtherContracts,
  pools: readonly OtherPool[],
): void {
  const create = (to: Address, abi: Abi, functionName: string, args: readonly unknown[]) =>
    queueCall(scene, { to, abi, functionName, args }, CREATE_GAS);
  for (const pool of pools) {
    const pair = [pool.currency0, pool.currency1] as const;
    if (pool.venue === 'solidly-v2') {
      create(others.solidlyFactory, SOLIDLY_ABI, 'createPool', [...pair, isStablePair(pool)]);
    }
    if (pool.venue === 'pancakeswap-v3') {
      create(others.pancakeFactory, PANCAKE_ABI, 'createPool', [...pair, pool.feePips]);
    }
  }
  const tokens = listWeighted(scene);
  create(others.weightedFactory, BALANCER_ABI, 'create', [
    ...['Half WIRE', 'HALF-WIRE', tokens.map(({ address }) => address)],
    ...[tokens.map(({ weight }) => weight), WEIGHTED_FEE, MAKER],
  ]);
}

/** The vault's word for the weighted pool: its factory's only one. */
async function findPoolWord(rpc: JsonRpc, { weightedFactory }: OtherContracts): Promise<Hex> {
  const filter = { address: weightedFactory, fromBlock: 'earliest', toBlock: 'latest' };
  const [created] = await rpc.call<{ topics: Hex[] }[]>('eth_getLogs', filter);
  const pool = `0x${created?.topics[1]?.slice(26)}`;
  const data = encodeFunctionData({ abi: BALANCER_ABI, functionName: 'getPoolId' });
  return rpc.call<Hex>('eth_call', { to: pool, data }, 'latest');
}

async function findPoolIds(
  rpc: JsonRpc,
  others: OtherContracts,
  pools: readonly OtherPool[],
): Promise<DevnetPool[]> {
  const word = await findPoolWord(rpc, others);
  const found: DevnetPool[] = [];
  for (const pool of pools) {
    const { currency0, currency1, feePips } = pool;
    const calls: Readonly<Record<QueuedVenue, () => { to: Address; data: Hex } | null>> = {
      'solidly-v2': () => {
        const args = [currency0, currency1, isStablePair(pool)] as const;
        const data = encodeFunctionData({ abi: SOLIDLY_ABI, functionName: 'getPool', args });
        return { to: others.solidlyFactory, data };
      },
      'pancakeswap-v3': () => {
        const args = [currency0, currency1, feePips] as const;
        const data = encodeFunctionData({ abi: PANCAKE_ABI, functionName: 'getPool', args });
        return { to: others.pancakeFactory, data };
      },
      'balancer-v2': () => null,
    };
    const call = calls[pool.venue as QueuedVenue]();
    const answer = call === null ? null : await rpc.call<Hex>('eth_call', call, 'latest');
    found.push({ ...pool, id: answer === null ? word : `0x${answer.slice(26)}` });
  }
  return found;
}

function queueApprovals(scene: PoolScene, others: OtherContracts): void {
  const { weth } = scene.contracts;
  const deposit = encodeFunctionData({ abi: WETH_ABI, functionName: 'deposit' });
  scene.writer.queue({ from: MAKER, to: weth, data: deposit, value: WRAPPED, gas: APPROVE_GAS });
  const spenders = new Map<string, Address>([
    ['solidly-v2', others.solidlyRouter],
    ['pancakeswap-v3', others.pancakeRouter],
    ['balancer-v2', others.balancerVault],
  ]);
  const approved = new Set<string>();
  for (const { venue, token, quote } of OTHER_POOL_LIST) {
    const spender = spenders.get(venue);
    if (spender === undefined) continue;
    for (const key of [token, quote]) {
      if (approved.has(`${key} ${spender}`)) continue;
      approved.add(`${key} ${spender}`);
      const to = findCurrency(scene, key);
      const approve = { to, abi: ERC20_ABI, functionName: 'approve' };
      queueCall(scene, { ...approve, args: [spender, maxUint256] }, APPROVE_GAS);
    }
  }
}

function queueFilling(scene: PoolScene, others: OtherContracts, pool: DevnetPool): void {
  const { amount0, amount1, sqrtPriceX96 } = computeOpening(pool);
  if (pool.venue === 'solidly-v2') {
    const args = [pool.currency0, pool.currency1, isStablePair(pool), amount0, amount1];
    const add = { to: others.solidlyRouter, abi: SOLIDLY_ABI, functionName: 'addLiquidity' };
    queueCall(scene, { ...add, args });
  }
  if (pool.venue !== 'pancakeswap-v3') return;
  const open = { to: pool.id, abi: PANCAKE_ABI, functionName: 'initialize' };
  queueCall(scene, { ...open, args: [sqrtPriceX96] });
  const liquidity = computeSquareRoot(amount0 * amount1);
  for (const { halfWidth } of RANGES) {
    const { tickLower, tickUpper } = planTicks(pool, halfWidth);
    const mint = { to: others.pancakeRouter, abi: PANCAKE_ABI, functionName: 'mint' };
    queueCall(scene, { ...mint, args: [pool.id, tickLower, tickUpper, liquidity] });
  }
}

function queueJoin(scene: PoolScene, { balancerVault }: OtherContracts, word: Hex): void {
  const tokens = listWeighted(scene);
  const amounts = tokens.map(({ amount }) => amount);
  const request = {
    assets: tokens.map(({ address }) => address),
    maxAmountsIn: amounts,
    userData: encodeAbiParameters(parseAbiParameters('uint256, uint256[]'), [0n, amounts]),
    fromInternalBalance: false,
  };
  const join = { to: balancerVault, abi: BALANCER_ABI, functionName: 'joinPool' };
  queueCall(scene, { ...join, args: [word, MAKER, MAKER, request] });
}

export async function deployOthers(
  rpc: JsonRpc,
  scene: PoolScene,
  mineAll: () => Promise<void>,
): Promise<Pick<Deployment, 'others' | 'curve'>> {
  const { bytecode } = readArtifact('PancakeV3Pool');
  await rpc.call('anvil_setCode', POOL_CODE, bytecode);
  const contracts = queueExchanges(scene);
  const described = OTHER_POOL_LIST.map((spec) => describePool(scene, spec));
  const wanted = described.filter(({ venue }) => venue !== 'curve');
  const curve = queueCurve(
    scene,
    described.filter(({ venue }) => venue === 'curve'),
  );
  queueCreations(scene, contracts, wanted);
  await mineAll();
  const pools = await findPoolIds(rpc, contracts, wanted);
  queueApprovals(scene, contracts);
  for (const pool of pools) queueFilling(scene, contracts, pool);
  const weighted = pools.find(({ venue }) => venue === 'balancer-v2');
  if (weighted !== undefined) queueJoin(scene, contracts, weighted.id);
  queueCurveOpening(scene, curve);
  await mineAll();
  return { others: { contracts, pools: [...pools, ...curve.pools] }, curve: curve.contracts };
}
