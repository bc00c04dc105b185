// Deploys stand-ins of Curve's factory, router and StableSwap NG pools, fills the pools and makes
// their first trades.

import { type Address, encodeDeployData, encodeFunctionData, type Hex, maxUint256 } from 'viem';
import { MAKER } from './accounts.ts';
import { readCompiledContracts } from './compile-contracts.ts';
import { queueCreate } from './deploy-contracts.ts';
import type { PoolScene } from './deploy-pools.ts';
import type { CurveContracts, DevnetPool } from './deployment.ts';
import { ERC20_ABI } from './dex-abi.ts';
import { CURVE_POOL_ABI, CURVE_REGISTRY_ABI } from './other-abi.ts';

type CurveStandIn = `Curve${'Registry' | 'Pool' | 'Crypto' | 'Router'}StandIn`;

/** A hundred times 200. */
export const CURVE_AMP = 20_000n;
/** The fee is twice as high where a pool is far out of balance; in 1e-10. */
export const CURVE_OFFPEG = 2n * 10n ** 10n;
const FEE_PER_PIP = 10n ** 4n;
const CALL_GAS = 300_000n;
/** Of what a pool begins with, sold by the maker. */
const FIRST_TRADE_SHARE = 10_000n;

export function encodeCurveCreation(name: CurveStandIn, args: readonly unknown[] = []): Hex {
  const compiled = readCompiledContracts().contracts[name];
  if (compiled === undefined) throw new Error(`${name} is not compiled`);
  return encodeDeployData({ ...compiled, args });
}

interface CurveScene {
  readonly contracts: CurveContracts;
  readonly pools: readonly DevnetPool[];
}

export function queueCurve(
  { writer, contracts }: PoolScene,
  wanted: readonly Omit<DevnetPool, 'id'>[],
): CurveScene {
  const create = (name: CurveStandIn, ...args: unknown[]) =>
    queueCreate(writer, encodeCurveCreation(name, args));
  const stableFactory = create('CurveRegistryStandIn');
  const router = create('CurveRouterStandIn', contracts.weth);
  const pools = wanted.map((pool): DevnetPool => {
    const coins = [pool.currency0, pool.currency1];
    const fee = BigInt(pool.feePips) * FEE_PER_PIP;
    return { ...pool, id: create('CurvePoolStandIn', coins, CURVE_AMP, fee, CURVE_OFFPEG) };
  });
  return { contracts: { stableFactory, router }, pools };
}

/** With a trade in each: a pool of Curve is known by its swaps. */
export function queueCurveOpening({ writer }: PoolScene, { contracts, pools }: CurveScene): void {
  const call = (to: Address, data: Hex) => {
    writer.queue({ from: MAKER, to, data, gas: CALL_GAS });
  };
  for (const { id, currency0, currency1, opening } of pools) {
    const amounts = [BigInt(opening.amount0Raw), BigInt(opening.amount1Raw)] as const;
    for (const [index, to] of [currency0, currency1].entries()) {
      const args = [id, amounts[index] ?? 0n] as const;
      call(to, encodeFunctionData({ abi: ERC20_ABI, functionName: 'transfer', args }));
    }
    const abi = CURVE_POOL_ABI;
    call(id, encodeFunctionData({ abi, functionName: 'fill' }));
    const coins = [id, [currency0, currency1]] as const;
    const register = { abi: CURVE_REGISTRY_ABI, functionName: 'register', args: coins } as const;
    call(contracts.stableFactory, encodeFunctionData(register));
    const allowed = [id, maxUint256] as const;
    const approve = { abi: ERC20_ABI, functionName: 'approve', args: allowed } as const;
    call(currency0, encodeFunctionData(approve));
    const args = [0n, 1n, amounts[0] / FIRST_TRADE_SHARE, 0n] as const;
    call(id, encodeFunctionData({ abi, functionName: 'exchange', args }));
  }
}
