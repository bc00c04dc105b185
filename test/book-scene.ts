// Stand-ins of Liquidity Book on a test chain (test/contracts/liquidity-book.sol): three pairs
// whose fee does not move, so that a trade pays the same in the next block.

import { type Address as Account, encodeDeployData, encodeFunctionData, type Hex } from 'viem';
import type { TestChain } from '../devnet/test-chain.ts';
import { ZERO_ADDRESS } from '../src/chains/evm/data/zero-address.ts';
import { listSwapRouters } from '../src/chains/evm/venues/swap-routers.ts';
import {
  BOOK_FACTORY_ABI,
  BOOK_PAIR_ABI,
  BOOK_ROUTER_ABI,
  packBin,
  toBookFee,
} from './book-abi.ts';
import { CODE as FACTORY_CODE } from './contracts/book-factory-stand-in.gen.ts';
import { CODE as ROUTER_CODE } from './contracts/book-router-stand-in.gen.ts';
import { startIndexedDevnet } from './indexed-devnet.ts';
import { act, type RoutedScene } from './router-scene.ts';
import { setBalance } from './trade-wallet.ts';
import { readVenueGraph } from './venue-graph.ts';

const BIN_STEP = 25;
/** 0.1 %, and nothing for volatility. */
const PARAMETERS = [4000, 30, 600, 5000, 0, 1000, 350_000] as const;
const SIDE_BINS = 25;

interface PairSpec {
  readonly tokens: readonly [string, string];
  /** The active bin, from the one whose price is one. */
  readonly at: number;
  /** In each bin, in whole tokens. */
  readonly held: readonly [bigint, bigint];
}

const PAIRS: readonly PairSpec[] = [
  { tokens: ['weth', 'wire'], at: 0, held: [20n, 20n] },
  // 3000 USDC of six decimals for a WETH of eighteen.
  { tokens: ['weth', 'usdc'], at: -7858, held: [20n, 60_000n] },
  { tokens: ['usdc', 'kin'], at: 11_066, held: [50n, 50n] },
];

function findToken({ deployment }: TestChain, key: string) {
  if (key === 'weth') return { address: deployment.contracts.weth, decimals: 18 };
  const found = deployment.tokens.find((one) => one.key === key);
  if (found === undefined) throw new Error(`no token ${key}`);
  return found;
}

async function openPair(chain: TestChain, factory: Account, spec: PairSpec): Promise<void> {
  const [x, y] = spec.tokens.map((key) => findToken(chain, key));
  if (x === undefined || y === undefined) throw new Error('a pair of one token');
  const id = 2 ** 23 + spec.at;
  const create = [x.address, y.address, id, BIN_STEP, toBookFee(PARAMETERS)] as const;
  const call = { abi: BOOK_FACTORY_ABI, functionName: 'createLBPair', args: create } as const;
  await act(chain, { to: factory, data: encodeFunctionData(call) });
  const find = [x.address, y.address, BigInt(BIN_STEP)] as const;
  const look = { abi: BOOK_FACTORY_ABI, functionName: 'getLBPairInformation', args: find } as const;
  const data = encodeFunctionData(look);
  const answer = await chain.rpc.call<Hex>('eth_call', { to: factory, data }, 'latest');
  const pair: Account = `0x${answer.slice(2 + 64 + 24, 2 + 128)}`;
  const amounts = [x, y].map(
    ({ decimals }, side) => (spec.held[side] ?? 0n) * 10n ** BigInt(decimals),
  );
  const [ofX = 0n, ofY = 0n] = amounts;
  const ids = Array.from({ length: 2 * SIDE_BINS + 1 }, (_, index) => id - SIDE_BINS + index);
  const bins = ids.map((one) => ({ x: one >= id ? ofX : 0n, y: one <= id ? ofY : 0n }));
  for (const [side, { address }] of [x, y].entries()) {
    const amountRaw = (amounts[side] ?? 0n) * BigInt(SIDE_BINS + 1);
    await setBalance(chain, address, { owner: pair, amountRaw });
  }
  const args = [ids.map(BigInt), bins.map(packBin)] as const;
  const deposit = { abi: BOOK_PAIR_ABI, functionName: 'deposit', args } as const;
  await act(chain, { to: pair, data: encodeFunctionData(deposit) });
}

/** To be called before the chain is indexed. */
async function openBook(chain: TestChain): Promise<void> {
  const factory = await act(chain, { data: FACTORY_CODE });
  const args = [factory, chain.deployment.contracts.weth] as const;
  const data = encodeDeployData({ abi: BOOK_ROUTER_ABI, bytecode: ROUTER_CODE, args });
  const router = await act(chain, { data });
  for (const spec of PAIRS) await openPair(chain, factory, spec);
  Object.assign(chain.deployment, { liquidityBook: { factory, router } });
}

export async function startBookScene(): Promise<RoutedScene> {
  const devnet = await startIndexedDevnet({}, openBook);
  const { chain, adapter } = devnet;
  return {
    devnet,
    routers: listSwapRouters(adapter.deployment).flatMap((one) =>
      one.kind === 'liquidityBook' ? [one] : [],
    ),
    tokenOf: (key) => (key === 'eth' ? ZERO_ADDRESS : findToken(chain, key).address),
    readGraph: () => readVenueGraph(devnet, { venue: 'lfj-v2-2', rowCount: PAIRS.length }),
    stop: () => devnet.stop(),
  };
}
