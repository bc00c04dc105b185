// Stable pools of PancakeSwap on a test chain, and its smart router, as stand-ins of ours
// (test/contracts/pancake-stable.sol).

import assert from 'node:assert/strict';
import {
  type Address as Account,
  encodeDeployData,
  encodeFunctionData,
  type Hex,
  parseAbi,
} from 'viem';
import type { TestChain } from '../devnet/test-chain.ts';
import type { EvmDeployment } from '../src/chains/evm/data/deployments/evm-deployment.ts';
import { listCoinPairs } from '../src/chains/evm/data/evm-ids.ts';
import { curve } from '../src/chains/evm/venues/curve/curve.ts';
import { requireMarkets } from '../src/engines/chain-families.ts';
import type { PoolDescription, PoolRecord } from '../src/model/pool.ts';
import { createGraphPool, type GraphPool } from '../src/trading/graph/pool-graph-pool.ts';
import { CODE as POOL_CODE } from './contracts/stable-pool.gen.ts';
import { CODE as ROUTER_CODE } from './contracts/stable-router.gen.ts';
import { type Act, callLatest } from './integral-pools.ts';
import { address } from './test-ids.ts';
import { setBalance } from './trade-wallet.ts';

export const STABLE_VENUE = 'pancakeswap-stable';

const ROUTER_ABI = parseAbi([
  'constructor(address wrapped)',
  'function register(address pool, address[] coins)',
]);
const POOL_ABI = parseAbi([
  'constructor(address[] coins, uint256 amplification, uint256 fee, uint256 adminFee)',
  'function donate_admin_fees()',
]);
const TERMS = [200n, 4_000_000n, 5_000_000_000n] as const;

interface HeldCoin {
  readonly address: string;
  readonly amountRaw: bigint;
}

export class StablePools {
  readonly #chain: TestChain;
  readonly #act: Act;
  readonly #descriptions: PoolDescription[] = [];
  #router: Account | null = null;

  constructor(chain: TestChain, act: Act) {
    this.#chain = chain;
    this.#act = act;
  }

  /** Returns the router, which knows the pools as their factory does. */
  async deploy(wrapped: Account): Promise<Account> {
    const data = encodeDeployData({ abi: ROUTER_ABI, bytecode: ROUTER_CODE, args: [wrapped] });
    this.#router = await this.#act(this.#chain, { data });
    return this.#router;
  }

  async open(coins: readonly HeldCoin[], deployment: EvmDeployment): Promise<void> {
    const router = this.#router ?? assert.fail('not deployed');
    const tokens = coins.map((coin) => coin.address as Hex);
    const args = [tokens, ...TERMS] as const;
    const bytecode = POOL_CODE as Hex;
    const pool = await this.#act(this.#chain, {
      data: encodeDeployData({ abi: POOL_ABI, bytecode, args }),
    });
    for (const { address: token, amountRaw } of coins) {
      await setBalance(this.#chain, token, { owner: pool, amountRaw });
    }
    const fill = encodeFunctionData({ abi: POOL_ABI, functionName: 'donate_admin_fees' });
    await this.#act(this.#chain, { to: pool, data: fill });
    const register = { abi: ROUTER_ABI, functionName: 'register', args: [pool, tokens] } as const;
    await this.#act(this.#chain, { to: router, data: encodeFunctionData(register) });
    const rows = listCoinPairs(address(pool.toLowerCase()), coins.length);
    const context = this.#createContext(deployment);
    this.#descriptions.push(...(await curve.resolvePools(rows, context)));
  }

  /** As of the newest block. */
  async readPools(deployment: EvmDeployment): Promise<GraphPool[]> {
    const queries = this.#descriptions.map((description) => ({ description, ticks: [] }));
    const readings = await curve.readPoolStates(queries, this.#createContext(deployment));
    return this.#descriptions.flatMap((description, index) => {
      const row = {
        ...{ ...description, createdBlock: 1, createdAtMs: 1, complete: true },
        ...{ lastSwapAtMs: null, liquidityUsdE18: null, state: readings[index]?.state },
      } as PoolRecord;
      return createGraphPool(row, [], requireMarkets('devnet')) ?? [];
    });
  }

  #createContext(deployment: EvmDeployment) {
    const pancakeStable = [address(this.#router?.toLowerCase() ?? '')];
    return { deployment: { ...deployment, pancakeStable }, callContracts: callLatest(this.#chain) };
  }
}
