// Simulates a round trip through a pool, to measure its tokens' taxes and whether they can be sold
// again. Nothing is sent: the node runs our probe's code with state overrides and discards it.
//
// There are two views, since a trap may affect only one: a contract that trades for itself, and an
// ordinary wallet that trades through a contract and sells one block after it bought.

import { randomBytes } from 'node:crypto';
import type { Hex } from 'viem';
import { decodeFunctionResult, encodeFunctionData, parseAbi } from 'viem/utils';
import type { Address } from '../../../model/ids.ts';
import type { RoundTripView, RoundTripViews, SwapMeasure } from '../../chain-nodes.ts';
import type { RpcClient } from '../../rpc/rpc-client.ts';
import { isRpcError } from '../../rpc/rpc-error.ts';
import { type BlockPin, readPinned } from '../read-pinned.ts';
import { parseSlot0 } from '../venues/uniswap-v4/v4-storage.ts';
import { CODE as PROBE_CODE } from './round-trip-probe.gen.ts';

/** One swap of the path, as passed to the probe contract. */
export interface ProbeHop {
  readonly kind: 'v2' | 'v3' | 'v4' | 'solidly' | 'vault' | 'curve';
  /** The pair, the pool, V4's manager or Balancer's vault. */
  readonly pool: Address;
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  /**
   * V2: the pair's fee in pips. V4: the fee in the pool's key. Curve: the index of token 0, and in
   * the next field that of token 1.
   */
  readonly fee: number;
  readonly tickSpacing: number;
  /** V4: the hooks in the pool's key. Balancer: the pool's own contract. Curve: token 0. */
  readonly hooks: Address;
}

export interface ProbeTrip {
  /** From the native coin to the probed pool, which comes last. */
  readonly hops: readonly ProbeHop[];
  readonly amountIn: bigint;
  readonly wrapped: Address;
  /** The gas price to use, so that no contract can detect the simulation by it. */
  readonly feePerGas: bigint | null;
  /** A node that has not reached this block is not used. */
  readonly minBlock: number;
  /** The block to simulate on; null for the newest, also used if no node has the state of it. */
  readonly block: BlockPin | null;
}

const ABI = parseAbi([
  'struct Hop { uint8 kind; address pool; address tokenIn; address tokenOut; uint24 fee; int24 tickSpacing; address hooks; }',
  'struct Measure { uint8 status; uint256 sent; uint256 arrived; uint256 paid; uint256 received; uint256 stray; uint256 gas; uint256 slot0; uint256 liquidity; }',
  'function roundTrip(Hop[] hops, Hop[] back, uint256 amountIn, address wrapped) payable returns (Measure[] there, Measure[] again)',
  'function buy(Hop[] hops, uint256 amountIn, address wrapped) payable returns (Measure[])',
  'function sell(Hop[] back, address wrapped) returns (Measure[])',
  'function approve(address spender, uint256 amount)',
  'function ping() view returns (uint256)',
]);

const KINDS = { v2: 2, v3: 3, v4: 4, solidly: 5, vault: 6, curve: 7 } as const;
/** Enough for any honest token, and a limit on the work of a hostile one. */
const GAS = '0x4c4b40';
const APPROVE_GAS = '0x7a120';
const WEALTH = `0x${(10n ** 24n).toString(16)}`;
const AMOUNT_MAX = 2n ** 256n - 1n;
const STATUS_DONE = 1;
const STATUS_UNTRIED = 0;

/** Random each time, so that nobody can prepare a contract for the address. */
function createAddress(): Hex {
  return `0x${randomBytes(20).toString('hex')}`;
}

function toHops(hops: readonly ProbeHop[]) {
  return hops.map((hop) => ({
    kind: KINDS[hop.kind],
    pool: hop.pool as Hex,
    tokenIn: hop.tokenIn as Hex,
    tokenOut: hop.tokenOut as Hex,
    fee: hop.fee,
    tickSpacing: hop.tickSpacing,
    hooks: hop.hooks as Hex,
  }));
}

function reverseHops(hops: readonly ProbeHop[]): ProbeHop[] {
  return hops.map((hop) => ({ ...hop, tokenIn: hop.tokenOut, tokenOut: hop.tokenIn })).reverse();
}

/**
 * From here on the gas of a token's own transfer is reported. Plain contracts use 30,000 to 60,000;
 * those that accrue interest, or sell their own tax during transfers, up to some 250,000.
 */
const TRANSFER_GAS_HIGH = 300_000n;

type RawMeasure = Omit<SwapMeasure, 'isDone' | 'unusualUnits' | 'before'> & {
  readonly status: number;
  readonly gas: bigint;
  /** Both 0 for pools other than V4's. */
  readonly slot0: bigint;
  readonly liquidity: bigint;
};

function readMeasure(raw: RawMeasure | undefined): SwapMeasure | null {
  if (raw === undefined || raw.status === STATUS_UNTRIED) return null;
  const { status, gas, slot0, liquidity, ...amounts } = raw;
  const unusualUnits = gas < TRANSFER_GAS_HIGH ? 0n : gas;
  const { sqrtPriceX96 } = parseSlot0(slot0);
  const before = slot0 === 0n ? null : { sqrtPriceX96, liquidity };
  return { isDone: status === STATUS_DONE, unusualUnits, before, ...amounts };
}

interface Encoded {
  readonly probe: Hex;
  readonly wallet: Hex;
  readonly overrides: Record<string, object>;
  readonly there: ReturnType<typeof toHops>;
  readonly back: ReturnType<typeof toHops>;
  readonly gasPrice: { readonly gasPrice?: string };
}

function encodeTrip(trip: ProbeTrip): Encoded {
  const probe = createAddress();
  const wallet = createAddress();
  const price = trip.feePerGas;
  return {
    probe,
    wallet,
    overrides: { [probe]: { code: PROBE_CODE, balance: WEALTH }, [wallet]: { balance: WEALTH } },
    there: toHops(trip.hops),
    back: toHops(reverseHops(trip.hops)),
    gasPrice: price === null || price === 0n ? {} : { gasPrice: `0x${price.toString(16)}` },
  };
}

/** Errors of a node that does not support such requests, or parts of them. */
const INABILITY = ['unsupported', 'rejected', 'reverted', 'replyTooLarge'] as const;

interface At {
  readonly signal: AbortSignal;
  readonly minBlock: number;
  readonly block: BlockPin | null;
}

interface Call {
  readonly method: 'eth_call' | 'eth_simulateV1';
  buildParams(tag: unknown): readonly unknown[];
}

async function request(client: RpcClient, call: Call, at: At): Promise<unknown> {
  const { signal, block } = at;
  const { method } = call;
  try {
    return await client.at((endpoint) => {
      const read = (tag: unknown) =>
        endpoint.request({ method, params: call.buildParams(tag) }, signal);
      return block === null ? read('latest') : readPinned(endpoint, { block, read, signal });
    }, at);
  } catch (error) {
    if (isRpcError(error, ...INABILITY)) return null;
    throw error;
  }
}

async function viewAsContract(
  client: RpcClient,
  trip: ProbeTrip,
  at: At,
): Promise<RoundTripView | null> {
  const { probe, wallet, overrides, there, back, gasPrice } = encodeTrip(trip);
  const args = [there, back, trip.amountIn, trip.wrapped as Hex] as const;
  const data = encodeFunctionData({ abi: ABI, functionName: 'roundTrip', args });
  const transaction = { from: wallet, to: probe, data, input: data, gas: GAS, ...gasPrice };
  const buildParams = (tag: unknown) => [transaction, tag, overrides];
  const result = await request(client, { method: 'eth_call', buildParams }, at);
  // A node without overrides finds no code there and returns nothing.
  if (typeof result !== 'string' || result.length <= 2) return null;
  const [forth, again] = decodeFunctionResult({
    abi: ABI,
    functionName: 'roundTrip',
    data: result as Hex,
  });
  return { there: readMeasure(forth.at(-1)), back: readMeasure(again[0]) };
}

interface SimulatedCall {
  readonly status?: unknown;
  readonly returnData?: unknown;
}

function parseReturned(value: unknown, block: number, call: number): Hex | null {
  const calls: unknown = Array.isArray(value) ? value[block]?.calls : null;
  const one: SimulatedCall | null = Array.isArray(calls) ? (calls[call] ?? null) : null;
  const { status, returnData } = one ?? {};
  if (status !== '0x1' || typeof returnData !== 'string' || returnData.length <= 2) return null;
  return returnData as Hex;
}

/** Over two blocks, with a wallet or the contract itself as the owner of what is bought. */
async function viewOverBlocks(
  client: RpcClient,
  trip: ProbeTrip & { readonly owner: 'wallet' | 'contract' },
  at: At,
): Promise<RoundTripView | null> {
  const { probe, wallet, overrides, there, back, gasPrice } = encodeTrip(trip);
  const wrapped = trip.wrapped as Hex;
  const from = trip.owner === 'wallet' ? wallet : probe;
  const buildCall = (to: Hex, data: Hex, gas: string) => ({
    ...{ from, to, data, input: data, gas },
    ...gasPrice,
  });
  const buy = encodeFunctionData({
    abi: ABI,
    functionName: 'buy',
    args: [there, trip.amountIn, wrapped],
  });
  const approve = encodeFunctionData({
    abi: ABI,
    functionName: 'approve',
    args: [probe, AMOUNT_MAX],
  });
  const sell = encodeFunctionData({ abi: ABI, functionName: 'sell', args: [back, wrapped] });
  const token = trip.hops.at(-1)?.tokenOut as Hex;
  const blockStateCalls = [
    {
      stateOverrides: overrides,
      calls: [buildCall(probe, buy, GAS), buildCall(token, approve, APPROVE_GAS)],
    },
    // One block later: some tokens cannot be sold in the block in which they were bought.
    { calls: [buildCall(probe, sell, GAS)] },
  ];
  const buildParams = (tag: unknown) => [{ blockStateCalls, validation: false }, tag];
  const result = await request(client, { method: 'eth_simulateV1', buildParams }, at);
  const bought = parseReturned(result, 0, 0);
  if (bought === null) return null;
  const sold = parseReturned(result, 1, 0);
  const forth = decodeFunctionResult({ abi: ABI, functionName: 'buy', data: bought });
  const again =
    sold === null ? [] : decodeFunctionResult({ abi: ABI, functionName: 'sell', data: sold });
  return { there: readMeasure(forth.at(-1)), back: readMeasure(again[0]) };
}

/** Whether the node supports overrides at all: then a failure is caused by the pool. */
async function canOverride(client: RpcClient, at: At): Promise<boolean> {
  const to = createAddress();
  const data = encodeFunctionData({ abi: ABI, functionName: 'ping' });
  const overrides = { [to]: { code: PROBE_CODE } };
  const buildParams = (tag: unknown) => [{ to, data, input: data }, tag, overrides];
  const result = await request(client, { method: 'eth_call', buildParams }, at);
  return typeof result === 'string' && /^0x0{63}1$/.test(result);
}

const UNREACHED: RoundTripView = { there: null, back: null };

function isSold({ back }: RoundTripView): boolean {
  return back?.isDone === true;
}

async function viewAll(client: RpcClient, trip: ProbeTrip, at: At): Promise<RoundTripViews> {
  const asContract = await viewAsContract(client, trip, at);
  if (asContract === null) {
    const isAble = await canOverride(client, at);
    return { asContract: isAble ? UNREACHED : null, asWallet: null };
  }
  const asWallet = await viewOverBlocks(client, { ...trip, owner: 'wallet' }, at);
  if (asWallet === null || !isSold(asWallet) || isSold(asContract)) return { asContract, asWallet };
  // What only the contract could not sell may be locked in the block of the purchase.
  const later = await viewOverBlocks(client, { ...trip, owner: 'contract' }, at);
  return { asContract: later ?? asContract, asWallet };
}

export async function probePool(
  client: RpcClient,
  trip: ProbeTrip,
  signal: AbortSignal,
): Promise<RoundTripViews> {
  const { minBlock, block } = trip;
  try {
    return await viewAll(client, trip, { signal, minBlock, block });
  } catch (error) {
    // The index is behind, or the block was reorganised away.
    if (block === null || !isRpcError(error, 'stateUnavailable')) throw error;
    return viewAll(client, trip, { signal, minBlock, block: null });
  }
}
