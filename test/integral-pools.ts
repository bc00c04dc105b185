// Pools of Algebra Integral on a test chain, made by the contracts that npm has: the standard one
// of some pairs, and a custom one.

import assert from 'node:assert/strict';
import {
  type Address as Account,
  encodeDeployData,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  parseAbi,
} from 'viem';
import { MAKER } from '../devnet/accounts.ts';
import type { TestChain } from '../devnet/test-chain.ts';
import { toSqrtPriceX96 } from '../src/amm/concentrated/sqrt-price-at-tick.ts';
import type { EvmDeployment } from '../src/chains/evm/data/deployments/evm-deployment.ts';
import { decodeAddressAt } from '../src/chains/evm/data/hex-data.ts';
import type { CallContracts } from '../src/chains/evm/rpc/multicall.ts';
import { uniswapV3 } from '../src/chains/evm/venues/uniswap-v3/uniswap-v3.ts';
import { requireMarkets } from '../src/engines/chain-families.ts';
import type { PoolDescriptionOf, PoolRecordOf } from '../src/model/pool.ts';
import { createGraphPool, type GraphPool } from '../src/trading/graph/pool-graph-pool.ts';
import { CODE as CALLER_CODE } from './contracts/pool-caller.gen.ts';
import { address, poolId } from './test-ids.ts';
import { setBalance } from './trade-wallet.ts';
import { type NpmContract, readNpmContract } from './venue-chain.ts';

export const INTEGRAL_VENUE = 'integral-pools';

const CALLER: NpmContract = {
  abi: parseAbi(['function run(address target, bytes data)']),
  bytecode: CALLER_CODE as Hex,
};
/** `CUSTOM_POOL_DEPLOYER()` */
const CUSTOM_ROLE_SELECTOR = '0x07810754';
/** Of every pool that this factory makes. */
const FEE_PIPS = 500;
const SPACING = 60;
/** Ends in spacings from the price, and liquidity in parts of that of the amounts. */
const POSITIONS = [
  [-400, 400, 4n],
  [-30, 50, 3n],
  [2, 9, 5n],
] as const;

interface PricedToken {
  readonly address: string;
  /** Of the token in a pool, in raw units. */
  readonly amountRaw: bigint;
}

export interface IntegralPair {
  readonly tokens: readonly [PricedToken, PricedToken];
  readonly isCustom: boolean;
}

function readCore(name: string): NpmContract {
  const [file = name] = name.split('/').slice(-1);
  return readNpmContract(
    `@cryptoalgebra/integral-core/artifacts/contracts/${name}.sol/${file}.json`,
  );
}

interface OpenPool {
  readonly description: PoolDescriptionOf<'concentrated'>;
  readonly ticks: readonly number[];
}

/** A step of a scene; returns the contract that it created. */
export type Act = (
  chain: TestChain,
  call: { to?: Account; data: Hex; value?: bigint },
) => Promise<Account>;

/** Null where a contract does not answer. */
export function callLatest(chain: TestChain): CallContracts {
  return async (calls) => {
    const replies = await chain.rpc.ask(
      calls.map((one) => ({ method: 'eth_call', params: [one, 'latest'] })),
    );
    return replies.map(({ result }) =>
      typeof result === 'string' && result !== '0x' ? result : null,
    );
  };
}

export class IntegralPools {
  readonly #call: CallContracts;
  readonly #chain: TestChain;
  readonly #act: Act;
  readonly #pools: OpenPool[] = [];
  #parts: Record<'factory' | 'creator' | 'caller' | 'router', Account> | null = null;

  constructor(chain: TestChain, act: Act) {
    this.#chain = chain;
    this.#act = act;
    this.#call = callLatest(chain);
  }

  /** Returns the router. The deployer and the factory name each other. */
  async deploy(wrapped: Account): Promise<Account> {
    const create = ({ abi, bytecode }: NpmContract, args: readonly unknown[] = []) =>
      this.#act(this.#chain, { data: encodeDeployData({ abi, bytecode, args }) });
    const count = await this.#chain.rpc.call<Hex>('eth_getTransactionCount', MAKER, 'latest');
    const ahead = getContractAddress({ from: MAKER, nonce: BigInt(count) + 1n });
    const deployer = await create(readCore('AlgebraPoolDeployer'), [ahead]);
    const factory = await create(readCore('AlgebraFactory'), [deployer]);
    const creator = await create(readCore('test/MockCustomPoolCreator'));
    const router = await create(
      readNpmContract(
        '@cryptoalgebra/integral-periphery/artifacts/contracts/SwapRouter.sol/SwapRouter.json',
      ),
      [factory, wrapped, deployer],
    );
    this.#parts = { factory, creator, caller: await create(CALLER), router };
    const [role] = await this.#call([{ to: address(factory), data: CUSTOM_ROLE_SELECTOR }]);
    await this.#run(factory, readCore('AlgebraFactory'), 'grantRole', [role, creator]);
    return router;
  }

  async open({ tokens, isCustom }: IntegralPair): Promise<void> {
    const { factory, creator, caller } = this.#parts ?? assert.fail('not deployed');
    const [one, two] = tokens.toSorted((a, b) => (a.address < b.address ? -1 : 1));
    if (one === undefined || two === undefined) throw new Error('a pair has two tokens');
    const pair = [one.address, two.address];
    const maker = readCore(isCustom ? 'test/MockCustomPoolCreator' : 'AlgebraFactory');
    if (isCustom) await this.#run(creator, maker, 'createCustomPool', [factory, ...pair, '0x']);
    else await this.#run(factory, maker, 'createPool', [...pair, '0x']);
    const lookup = isCustom ? 'customPoolByPair' : 'poolByPair';
    const args = isCustom ? [creator, ...pair] : pair;
    const { abi } = readCore('AlgebraFactory');
    const data = encodeFunctionData({ abi, functionName: lookup, args });
    const [answer] = await this.#call([{ to: address(factory.toLowerCase()), data }]);
    const pool = decodeAddressAt(answer ?? assert.fail(), 0);

    const price = Number(two.amountRaw) / Number(one.amountRaw);
    const middle = Math.round(Math.log(price) / Math.log(1.0001) / SPACING);
    const liquidity = BigInt(Math.floor(Math.sqrt(Number(one.amountRaw) * Number(two.amountRaw))));
    for (const { address: token, amountRaw } of [one, two]) {
      await setBalance(this.#chain, token, { owner: caller, amountRaw: amountRaw * 10_000n });
    }
    const own = readCore('AlgebraPool');
    const within = (functionName: string, given: readonly unknown[]) =>
      this.#run(caller, CALLER, 'run', [
        pool,
        encodeFunctionData({ abi: own.abi, functionName, args: given }),
      ]);
    await within('initialize', [toSqrtPriceX96(middle * SPACING + 7)]);
    const ticks = new Set<number>();
    for (const [from, to, parts] of POSITIONS) {
      const ends = [(middle + from) * SPACING, (middle + to) * SPACING] as const;
      await within('mint', [caller, caller, ...ends, liquidity * parts, '0x']);
      for (const end of ends) ticks.add(end);
    }
    const custody = isCustom ? { deployer: address(creator.toLowerCase()) } : {};
    this.#pools.push({
      ticks: [...ticks],
      description: {
        ...{ pool: poolId(pool), kind: 'concentrated', venue: INTEGRAL_VENUE, vault: pool },
        ...{ token0: address(one.address), token1: address(two.address), feePips: FEE_PIPS },
        terms: {
          ...{ tickSpacing: 1, stopsAtTicksOnly: true, custody: { kind: 'own', ...custody } },
        },
      },
    });
  }

  /** As of the newest block. */
  async readPools(deployment: EvmDeployment): Promise<GraphPool[]> {
    const factory = address(this.#parts?.factory.toLowerCase() ?? '');
    const fork = { venue: INTEGRAL_VENUE, factory, layout: 'algebraIntegral' } as const;
    const v3 = [{ ...fork, quoter: null, universalRouter: false }];
    const context = { deployment: { ...deployment, v3 }, callContracts: this.#call };
    const readings = await uniswapV3.readPoolStates(this.#pools, context);
    return this.#pools.flatMap(({ description }, index) => {
      const { state, ticks = [] } = readings[index] ?? {};
      const row = {
        ...{ ...description, createdBlock: 1, createdAtMs: 1, complete: true },
        ...{ lastSwapAtMs: null, liquidityUsdE18: null },
        state: { protocolFee: 0, amount0: null, amount1: null, ...state },
      } as PoolRecordOf<'concentrated'>;
      const rows = ticks.map((tick) => ({ ...tick, pool: description.pool }));
      const sorted = rows.sort((a, b) => a.tick - b.tick);
      return createGraphPool(row, sorted, requireMarkets('devnet')) ?? [];
    });
  }

  async #run(to: Account, { abi }: NpmContract, functionName: string, args: readonly unknown[]) {
    await this.#act(this.#chain, { to, data: encodeFunctionData({ abi, functionName, args }) });
  }
}
