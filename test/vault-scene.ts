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
import { listSwapRouters } from '../src/chains/evm/venues/swap-routers.ts';
import { startIndexedDevnet } from './indexed-devnet.ts';
import type { RoutedScene } from './router-scene.ts';
import { setBalance } from './trade-wallet.ts';
import { readVenueGraph } from './venue-graph.ts';

const VENUE = 'balancer-v2';
const GAS = 9_000_000n;
const SWAP_FEE = 25n * 10n ** 14n;
const PERCENT = 10n ** 16n;

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

/** A new pool of the vault, and what is put into it. */
interface PoolOpening {
  readonly factory: Account;
  readonly abi: Abi;
  /** Of the factory's `create`. */
  readonly args: readonly unknown[];
  /** In the order of their addresses. */
  readonly assets: readonly Account[];
  readonly amounts: readonly bigint[];
}

async function act(
  chain: TestChain,
  call: { to: Account; abi: Abi; functionName: string; args: readonly unknown[] },
) {
  const { to, abi, functionName, args } = call;
  const data = encodeFunctionData({ abi, functionName, args });
  const receipt = await chain.send({ from: MAKER, to, data, gas: GAS });
  if (receipt.status !== '0x1') throw new Error(`${functionName} failed`);
  return receipt.logs;
}

export function requireOthers({ deployment }: TestChain) {
  const { others } = deployment;
  if (others === undefined) throw new Error('the chain has no vault');
  return others.contracts;
}

/** Returns the vault's word for it. */
export async function openVaultPool(chain: TestChain, opening: PoolOpening): Promise<Hex> {
  const { factory, abi, args, assets, amounts } = opening;
  const vault = requireOthers(chain).balancerVault;
  const logs = await act(chain, { to: factory, abi, functionName: 'create', args });
  const created = logs.find(({ address }) => address === factory);
  const pool = `0x${created?.topics[1]?.slice(26)}`;
  const data = encodeFunctionData({ abi: BALANCER_ABI, functionName: 'getPoolId' });
  const word = await chain.rpc.call<Hex>('eth_call', { to: pool, data }, 'latest');
  for (const [index, to] of assets.entries()) {
    await setBalance(chain, to, { owner: MAKER, amountRaw: amounts[index] ?? 0n });
    const approve = { to, abi: ERC20_ABI, functionName: 'approve' };
    await act(chain, { ...approve, args: [vault, maxUint256] });
  }
  const userData = encodeAbiParameters(parseAbiParameters('uint256, uint256[]'), [0n, amounts]);
  const request = { assets, maxAmountsIn: amounts, userData, fromInternalBalance: false };
  const join = { to: vault, abi: BALANCER_ABI, functionName: 'joinPool' };
  await act(chain, { ...join, args: [word, MAKER, MAKER, request] });
  return word;
}

async function openWeighted(
  chain: TestChain,
  parts: readonly (PoolToken & VaultPart)[],
): Promise<void> {
  const sorted = parts.toSorted((a, b) => (a.address < b.address ? -1 : 1));
  const assets = sorted.map(({ address }) => address);
  const weights = sorted.map(({ percent }) => percent * PERCENT);
  const amounts = sorted.map(({ amount, decimals }) => amount * 10n ** BigInt(decimals));
  const args = ['P', 'P', assets, weights, SWAP_FEE, MAKER];
  const factory = requireOthers(chain).weightedFactory;
  await openVaultPool(chain, { factory, abi: BALANCER_ABI, args, assets, amounts });
}

function findToken({ deployment }: TestChain, key: string): PoolToken {
  const found = deployment.tokens.find((one) => one.key === key);
  if (found === undefined) throw new Error(`no token ${key}`);
  return found;
}

async function openPools(chain: TestChain): Promise<void> {
  for (const parts of POOLS) {
    await openWeighted(
      chain,
      parts.map((part) => ({ ...part, ...findToken(chain, part.key) })),
    );
  }
}

export async function startVaultScene(): Promise<RoutedScene> {
  const devnet = await startIndexedDevnet({ hasOthers: true }, openPools);
  const { chain, adapter } = devnet;
  const { coin } = adapter.assets;
  const named: Readonly<Record<string, string>> = { eth: coin, weth: adapter.deployment.wrapped };
  return {
    devnet,
    routers: listSwapRouters(adapter.deployment).flatMap((one) =>
      one.kind === 'vault' ? [one] : [],
    ),
    tokenOf: (key) => named[key] ?? findToken(chain, key).address,
    readGraph: () => readVenueGraph(devnet, { venue: VENUE, rowCount: ROW_COUNT }),
    stop: () => devnet.stop(),
  };
}
