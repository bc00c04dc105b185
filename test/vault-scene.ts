// Balancer's own vault on a test chain, with three weighted pools of its first factory: paths lead
// through one, two or three of them.

import {
  type Abi,
  type Address as Account,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  maxUint256,
  parseAbiParameters,
} from 'viem';
import { MAKER } from '../devnet/accounts.ts';
import { ERC20_ABI } from '../devnet/dex-abi.ts';
import { BALANCER_ABI } from '../devnet/other-abi.ts';
import type { TestChain } from '../devnet/test-chain.ts';
import { listSwapRouters } from '../src/chains/evm/transactions/swap-routers.ts';
import { PoolGraph } from '../src/trading/graph/pool-graph.ts';
import { type IndexedDevnet, startIndexedDevnet } from './indexed-devnet.ts';
import type { TradedScene } from './router-scene.ts';
import { setBalance } from './trade-wallet.ts';

const VENUE = 'balancer-v2';
const GAS = 9_000_000n;
const SWAP_FEE = 25n * 10n ** 14n;
const PERCENT = 10n ** 16n;
const WHOLE_MAX_MS = 60_000;

interface VaultPart {
  readonly key: string;
  readonly percent: bigint;
  /** In whole tokens. */
  readonly amount: bigint;
}

/** Beside the devnet's pool of WIRE, WETH and USDC. */
const POOLS: readonly (readonly VaultPart[])[] = [
  [
    { key: 'usdc', percent: 37n, amount: 900_000n },
    { key: 'wbit', percent: 41n, amount: 2_000n },
    { key: 'cent', percent: 22n, amount: 700_000n },
  ],
  [
    { key: 'wire', percent: 80n, amount: 800_000n },
    { key: 'kin', percent: 20n, amount: 500_000n },
  ],
];
/** Of three pools: three rows, three rows and one. */
const ROW_COUNT = 7;

interface PoolToken {
  readonly address: Account;
  readonly decimals: number;
}

class VaultPools {
  readonly #chain: TestChain;
  readonly #vault: Account;
  readonly #factory: Account;

  constructor(chain: TestChain) {
    const { others } = chain.deployment;
    if (others === undefined) throw new Error('the chain has no vault');
    this.#chain = chain;
    this.#vault = others.contracts.balancerVault;
    this.#factory = others.contracts.weightedFactory;
  }

  async open(parts: readonly (PoolToken & VaultPart)[]): Promise<void> {
    const sorted = parts.toSorted((a, b) => (a.address < b.address ? -1 : 1));
    const assets = sorted.map(({ address }) => address);
    const weights = sorted.map(({ percent }) => percent * PERCENT);
    const amounts = sorted.map(({ amount, decimals }) => amount * 10n ** BigInt(decimals));
    const logs = await this.#act(this.#factory, BALANCER_ABI, 'create', [
      ...['P', 'P', assets, weights, SWAP_FEE, MAKER],
    ]);
    const created = logs.find(({ address }) => address === this.#factory);
    const pool = `0x${created?.topics[1]?.slice(26)}`;
    const data = encodeFunctionData({ abi: BALANCER_ABI, functionName: 'getPoolId' });
    const word = await this.#chain.rpc.call<Hex>('eth_call', { to: pool, data }, 'latest');
    for (const [index, token] of assets.entries()) {
      await setBalance(this.#chain, token, { owner: MAKER, amountRaw: amounts[index] ?? 0n });
      await this.#act(token, ERC20_ABI, 'approve', [this.#vault, maxUint256]);
    }
    const userData = encodeAbiParameters(parseAbiParameters('uint256, uint256[]'), [0n, amounts]);
    const request = { assets, maxAmountsIn: amounts, userData, fromInternalBalance: false };
    await this.#act(this.#vault, BALANCER_ABI, 'joinPool', [word, MAKER, MAKER, request]);
  }

  async #act(to: Account, abi: Abi, functionName: string, args: readonly unknown[]) {
    const data = encodeFunctionData({ abi, functionName, args });
    const receipt = await this.#chain.send({ from: MAKER, to, data, gas: GAS });
    if (receipt.status !== '0x1') throw new Error(`${functionName} failed`);
    return receipt.logs;
  }
}

async function readGraph(devnet: IndexedDevnet): Promise<PoolGraph> {
  const { follower, adapter } = devnet;
  const deadlineMs = Date.now() + WHOLE_MAX_MS;
  for (;;) {
    await devnet.settle();
    const all = [...(follower.current?.graph.pools() ?? [])];
    const rows = all.filter(({ venue }) => venue === VENUE);
    if (rows.length === ROW_COUNT && rows.every(({ inexact }) => inexact === null)) {
      const { coin } = adapter.assets;
      const graph = new PoolGraph({ native: { coin, wrapped: adapter.deployment.wrapped } });
      for (const row of rows) graph.set(row);
      return graph;
    }
    if (Date.now() > deadlineMs) throw new Error(`${rows.length} rows of the vault are quoted`);
    await devnet.chain.mine();
  }
}

export async function startVaultScene(): Promise<TradedScene> {
  const devnet = await startIndexedDevnet({ hasOthers: true });
  const { chain, adapter } = devnet;
  const findToken = (key: string): PoolToken => {
    if (key === 'weth') return { address: adapter.deployment.wrapped as Hex, decimals: 18 };
    const found = chain.deployment.tokens.find((one) => one.key === key);
    if (found === undefined) throw new Error(`no token ${key}`);
    return found;
  };
  try {
    const pools = new VaultPools(chain);
    for (const parts of POOLS) {
      await pools.open(parts.map((part) => ({ ...part, ...findToken(part.key) })));
    }
    const routers = listSwapRouters(adapter.deployment);
    return {
      devnet,
      routers: routers.filter((one) => one.kind !== 'universal' && one.kind === 'vault'),
      tokenOf: (key) => (key === 'eth' ? adapter.assets.coin : findToken(key).address),
      readGraph: () => readGraph(devnet),
      stop: () => devnet.stop(),
    };
  } catch (error) {
    await devnet.stop();
    throw error;
  }
}
