// Simulates a round trip through a pool, to measure its tokens' taxes and whether they can be sold
// again. Nothing is sent: the node runs our probe's code with state overrides and discards it.
//
// There are two views, since a trap may affect only one: a contract that trades for itself, and an
// ordinary wallet that trades through a contract, sells a tenth one block after it bought, and the
// rest days later. The wallet buys more, because some tokens tax only large amounts.

import { randomInt } from 'node:crypto';
import type { Hex } from 'viem';
import { decodeFunctionResult, encodeFunctionData, parseAbi } from 'viem/utils';
import { maxOf } from '../../../lib/bigint-bounds.ts';
import type { Address } from '../../../model/ids.ts';
import type { RoundTripView, RoundTripViews, SwapMeasure } from '../../chain-nodes.ts';
import type { RpcClient } from '../../rpc/rpc-client.ts';
import { isRpcError } from '../../rpc/rpc-error.ts';
import { toQuantity } from '../data/hex-data.ts';
import { parseBlock } from '../data/parse-block.ts';
import { ZERO_ADDRESS } from '../data/zero-address.ts';
import { type BlockPin, readPinned } from '../rpc/read-pinned.ts';
import {
  type BlockConditions,
  createAccountOverride,
  createRandomAddress,
  disguiseCode,
  encodeConditions,
  parseConditions,
} from '../rpc/realistic-simulation.ts';
import type { ProbeTerms } from '../venues/venue-protocol.ts';
import { CODE as PROBE_CODE } from './round-trip-probe.gen.ts';

/** One swap of the path, as passed to the probe contract. */
export interface ProbeHop extends ProbeTerms {
  readonly tokenIn: Address;
  readonly tokenOut: Address;
}

export interface ProbeTrip {
  /** From the native coin to the probed pool, which comes last. */
  readonly hops: readonly ProbeHop[];
  readonly amountIn: bigint;
  /** The most that the pools take for certain. */
  readonly amountInMax: bigint;
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
  'function roundTrip(Hop[] hops, Hop[] back, uint256 amountIn, address wrapped) payable returns (Measure[] there, Measure[] again, Measure[] rest)',
  'function buy(Hop[] hops, uint256 amountIn, address wrapped) payable returns (Measure[])',
  'function sell(Hop[] back, address wrapped, uint256 shareBps) returns (Measure[])',
  'function approve(address spender, uint256 amount)',
  'function ping() view returns (uint256)',
]);

/** Enough for any honest token, and a limit on the work of a hostile one. */
const GAS = '0x4c4b40';
const APPROVE_GAS = '0x7a120';
/** How many calls a wallet pays gas for. */
const CALLS_MAX = 4n;
/** Between the two sales of a wallet. Nodes simulate at most 256 blocks. */
const LATER_BLOCKS = [200, 250] as const;
const LATER_SECONDS = [86_400, 4 * 86_400] as const;
const FIRST_SHARE_BPS = 1000n;
const WHOLE_BPS = 10_000n;
/** If the network's fees are not known. */
const FEE_ABOVE_BASE = 10n ** 9n;
const AMOUNT_MAX = 2n ** 256n - 1n;
const STATUS_DONE = 1;
const STATUS_UNTRIED = 0;

function toHops(hops: readonly ProbeHop[]) {
  return hops.map((hop) => ({
    kind: hop.kind,
    pool: hop.pool as Hex,
    tokenIn: hop.tokenIn as Hex,
    tokenOut: hop.tokenOut as Hex,
    fee: hop.fee ?? 0,
    tickSpacing: hop.tickSpacing ?? 0,
    hooks: (hop.hooks ?? ZERO_ADDRESS) as Hex,
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

/** Where a pool packs its price. */
const PRICE_BITS = (1n << 160n) - 1n;

type RawMeasure = Omit<SwapMeasure, 'isDone' | 'unusualUnits' | 'before'> & {
  readonly status: number;
  readonly gas: bigint;
  /** Both 0 for pools whose contract keeps only one. */
  readonly slot0: bigint;
  readonly liquidity: bigint;
};

function readMeasure(raw: RawMeasure | undefined): SwapMeasure | null {
  if (raw === undefined || raw.status === STATUS_UNTRIED) return null;
  const { status, gas, slot0, liquidity, ...amounts } = raw;
  const unusualUnits = gas < TRANSFER_GAS_HIGH ? 0n : gas;
  const before = slot0 === 0n ? null : { sqrtPriceX96: slot0 & PRICE_BITS, liquidity };
  return { isDone: status === STATUS_DONE, unusualUnits, before, ...amounts };
}

interface Encoded {
  readonly probe: Hex;
  readonly wallet: Hex;
  readonly overrides: Record<string, object>;
  readonly there: ReturnType<typeof toHops>;
  readonly back: ReturnType<typeof toHops>;
  readonly gasPrice: string;
  readonly conditions: object;
}

/** Probe, wallet and amounts are new each time: nothing in a simulation can be recognised. */
function encodeTrip(trip: ProbeTrip & { readonly conditions: BlockConditions | null }): Encoded {
  const probe = createRandomAddress() as string as Hex;
  const wallet = createRandomAddress() as string as Hex;
  const base = trip.conditions?.baseFeePerGas ?? 0n;
  const price = maxOf(trip.feePerGas ?? 0n, base + FEE_ABOVE_BASE);
  const { balance } = createAccountOverride(trip.amountInMax);
  const code = disguiseCode(PROBE_CODE);
  return {
    probe,
    wallet,
    overrides: {
      [probe]: { code, balance, nonce: '0x1' },
      [wallet]: createAccountOverride(CALLS_MAX * BigInt(GAS) * price),
    },
    there: toHops(trip.hops),
    back: toHops(reverseHops(trip.hops)),
    gasPrice: `0x${price.toString(16)}`,
    conditions: encodeConditions(trip.conditions),
  };
}

/** Errors of a node that does not support such requests, or parts of them. */
const INABILITY = ['rejected', 'reverted', 'replyTooLarge'] as const;
/** The result of a method that the node does not have. */
const UNSUPPORTED = Symbol('unsupported');

interface At {
  readonly signal: AbortSignal;
  readonly minBlock: number;
  readonly block: BlockPin | null;
}

interface Seen extends ProbeTrip {
  /** Of the block; null if the node does not tell. */
  readonly conditions: BlockConditions | null;
  readonly timeSeconds: number;
  readonly position: number;
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
    if (isRpcError(error, 'unsupported')) return UNSUPPORTED;
    if (isRpcError(error, ...INABILITY)) return null;
    throw error;
  }
}

/** The trip with what a real transaction would see now. */
async function lookAround(client: RpcClient, trip: ProbeTrip, at: At): Promise<Seen> {
  const tag = at.block === null ? 'latest' : toQuantity(at.block.position);
  const call = { method: 'eth_getBlockByNumber', params: [tag, false] } as const;
  const found = await client.at(async (endpoint) => {
    const block = await endpoint.request(call, at.signal);
    const header = parseBlock(block, endpoint.name)?.header;
    return { conditions: parseConditions(block), header };
  }, at);
  const { position = at.minBlock, timestampMs = 0 } = found.header ?? {};
  const timeSeconds = Math.floor(timestampMs / 1000);
  return { ...trip, conditions: found.conditions, position, timeSeconds };
}

async function viewAsContract(
  client: RpcClient,
  trip: Seen,
  at: At,
): Promise<RoundTripView | null> {
  const { probe, wallet, overrides, there, back, gasPrice } = encodeTrip(trip);
  const args = [there, back, trip.amountIn, trip.wrapped as Hex] as const;
  const data = encodeFunctionData({ abi: ABI, functionName: 'roundTrip', args });
  const transaction = { from: wallet, to: probe, data, input: data, gas: GAS, gasPrice };
  const buildParams = (tag: unknown) => [transaction, tag, overrides];
  const result = await request(client, { method: 'eth_call', buildParams }, at);
  // A node without overrides finds no code there and returns nothing.
  if (typeof result !== 'string' || result.length <= 2) return null;
  const [forth, again, rest] = decodeFunctionResult({
    abi: ABI,
    functionName: 'roundTrip',
    data: result as Hex,
  });
  const more = readMeasure(rest[0]);
  return {
    there: readMeasure(forth.at(-1)),
    back: readMeasure(again[0]),
    rest: more === null ? [] : [more],
  };
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

/** A sale that was refused before anything of it was measured. */
const REFUSED: SwapMeasure = {
  ...{ isDone: false, sent: 0n, arrived: 0n, paid: 0n, received: 0n },
  ...{ stray: 0n, unusualUnits: 0n, before: null },
};

function readSale(returned: Hex | null): SwapMeasure | null {
  if (returned === null) return null;
  const [first] = decodeFunctionResult({ abi: ABI, functionName: 'sell', data: returned });
  return readMeasure(first);
}

interface OverBlocks extends Seen {
  readonly owner: 'wallet' | 'contract';
  /** Nodes that do not check transactions show other fees; contracts send none that pass. */
  readonly validation: boolean;
}

function encodeBlocks(trip: OverBlocks): object[] {
  const { probe, wallet, overrides, there, back, gasPrice, conditions } = encodeTrip(trip);
  const wrapped = trip.wrapped as Hex;
  const from = trip.owner === 'wallet' ? wallet : probe;
  const price = trip.owner === 'wallet' ? { gasPrice } : {};
  const buildCall = (to: Hex, data: Hex, gas: string) => ({
    ...{ from, to, data, input: data, gas, ...price },
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
  const sell = (shareBps: bigint) =>
    encodeFunctionData({ abi: ABI, functionName: 'sell', args: [back, wrapped, shareBps] });
  const token = trip.hops.at(-1)?.tokenOut as Hex;
  const later = {
    number: toQuantity(trip.position + randomInt(...LATER_BLOCKS)),
    time: toQuantity(trip.timeSeconds + randomInt(...LATER_SECONDS)),
  };
  return [
    {
      blockOverrides: conditions,
      stateOverrides: overrides,
      calls: [buildCall(probe, buy, GAS), buildCall(token, approve, APPROVE_GAS)],
    },
    // One block later: some tokens cannot be sold in the block in which they were bought.
    { blockOverrides: conditions, calls: [buildCall(probe, sell(FIRST_SHARE_BPS), GAS)] },
    // Much later: others only then can no longer be, or tax all sales but the first.
    {
      blockOverrides: { ...conditions, ...later },
      calls: [buildCall(probe, sell(WHOLE_BPS), GAS)],
    },
  ];
}

/** Over three blocks, with a wallet or the contract itself as the owner of what is bought. */
async function viewOverBlocks(
  client: RpcClient,
  trip: OverBlocks,
  at: At,
): Promise<RoundTripView | typeof UNSUPPORTED | null> {
  const blockStateCalls = encodeBlocks(trip);
  const { validation } = trip;
  const buildParams = (tag: unknown) => [{ blockStateCalls, validation }, tag];
  const result = await request(client, { method: 'eth_simulateV1', buildParams }, at);
  if (result === UNSUPPORTED) return UNSUPPORTED;
  const bought = parseReturned(result, 0, 0);
  if (bought === null) return null;
  const forth = decodeFunctionResult({ abi: ABI, functionName: 'buy', data: bought });
  const count = Array.isArray(result) ? result.length : 0;
  const back = readSale(parseReturned(result, 1, 0));
  // Nodes may list the empty blocks in between.
  const last = readSale(parseReturned(result, count - 1, 0)) ?? REFUSED;
  return { there: readMeasure(forth.at(-1)), back, rest: back?.isDone ? [last] : [] };
}

/** Buys as much as it may, or less if the token refuses that; without checks if a node has none. */
async function viewAsWallet(client: RpcClient, trip: Seen, at: At): Promise<RoundTripView | null> {
  const spare = trip.amountInMax - trip.amountIn;
  const larger = trip.amountIn + (spare * BigInt(randomInt(700, 1000))) / 1000n;
  for (const validation of [true, false]) {
    const look = (amountIn: bigint) =>
      viewOverBlocks(client, { ...trip, amountIn, owner: 'wallet', validation }, at);
    const view = await look(larger);
    if (view === UNSUPPORTED) return null;
    if (view === null) continue;
    if (view.there?.isDone || spare === 0n) return view;
    const smaller = await look(trip.amountIn);
    return smaller === UNSUPPORTED ? null : smaller;
  }
  return null;
}

/** Whether the node supports overrides at all: then a failure is caused by the pool. */
async function canOverride(client: RpcClient, at: At): Promise<boolean> {
  const to = createRandomAddress();
  const data = encodeFunctionData({ abi: ABI, functionName: 'ping' });
  const overrides = { [to]: { code: PROBE_CODE } };
  const buildParams = (tag: unknown) => [{ to, data, input: data }, tag, overrides];
  const result = await request(client, { method: 'eth_call', buildParams }, at);
  return typeof result === 'string' && /^0x0{63}1$/.test(result);
}

const UNREACHED: RoundTripView = { there: null, back: null };

function isSold({ back, rest = [] }: RoundTripView): boolean {
  return back?.isDone === true && rest.every(({ isDone }) => isDone);
}

async function viewAll(client: RpcClient, plan: ProbeTrip, at: At): Promise<RoundTripViews> {
  const trip = await lookAround(client, plan, at);
  const asContract = await viewAsContract(client, trip, at);
  if (asContract === null) {
    const isAble = await canOverride(client, at);
    return { asContract: isAble ? UNREACHED : null, asWallet: null };
  }
  const asWallet = await viewAsWallet(client, trip, at);
  if (asWallet === null || !isSold(asWallet) || isSold(asContract)) return { asContract, asWallet };
  // What only the contract could not sell may be locked in the block of the purchase.
  const asOwner = { ...trip, owner: 'contract', validation: false } as const;
  const later = await viewOverBlocks(client, asOwner, at);
  const isSeen = later !== null && later !== UNSUPPORTED;
  return { asContract: isSeen ? later : asContract, asWallet };
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
