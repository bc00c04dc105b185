// The Universal Router's commands, encoded as its contract decodes them.

import type { Hex } from 'viem';
import {
  encodeAbiParameters,
  encodeFunctionData,
  encodePacked,
  parseAbi,
  parseAbiParameters,
} from 'viem/utils';
import type { UniversalRouterVersion } from '../../../../model/chain-contracts.ts';
import type { Address } from '../../../../model/ids.ts';
import type { IntegratorFee } from '../../../chain-transactions.ts';
import { evmAddress } from '../../data/evm-ids.ts';
import { ZERO_ADDRESS } from '../../data/zero-address.ts';
import type { SwapHop } from '../swap-plan.ts';
import type { PoolKey } from '../uniswap-v4/pool-key.ts';

/** The router's own address, as it calls itself in commands. */
export const ROUTER = evmAddress('0x0000000000000000000000000000000000000002');
/** As an amount: all that the router holds of it. */
export const WHOLE_BALANCE = 1n << 255n;
/** As V2's amount: the pair is already paid. As V4's amount: the whole debt or credit. */
export const SETTLED_ALREADY = 0n;
const OPEN_DELTA = 0n;

const COMMAND = {
  v3Swap: '00',
  v3ExactOut: '01',
  pull: '02',
  sweep: '04',
  payPortion: '06',
  v2Swap: '08',
  v2ExactOut: '09',
  permit: '0a',
  wrap: '0b',
  unwrap: '0c',
  v4Swap: '10',
} as const;

const ACTION = {
  swapSingle: '06',
  swapPath: '07',
  exactOutSingle: '08',
  exactOutPath: '09',
  settle: '0b',
  take: '0e',
} as const;

const EXECUTE_ABI = parseAbi([
  'function execute(bytes commands, bytes[] inputs, uint256 deadline) payable',
]);
const TO_AMOUNT = parseAbiParameters('address, uint256');
const TOKEN_TO_AMOUNT = parseAbiParameters('address, address, uint256');
const TOKEN_TO_AMOUNT_160 = parseAbiParameters('address, address, uint160');
const V2_SWAP = parseAbiParameters('address, uint256, uint256, address[], bool');
const V3_SWAP = parseAbiParameters('address, uint256, uint256, bytes, bool');
// From 2.1.1 on each swap names the least price of each hop (universal-router-sdk, v4-sdk: MIT).
// None is asked: a trade has its own minimum.
const V2_SWAP_HOPS = parseAbiParameters('address, uint256, uint256, address[], bool, uint256[]');
const V3_SWAP_HOPS = parseAbiParameters('address, uint256, uint256, bytes, bool, uint256[]');
const V4_ACTIONS = parseAbiParameters('bytes, bytes[]');
const V4_SETTLE = parseAbiParameters('address, uint256, bool');
const V4_SINGLE = parseAbiParameters([
  'Swap swap',
  'struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }',
  'struct Swap { PoolKey poolKey; bool zeroForOne; uint128 amountIn; uint128 amountOutMinimum; bytes hookData; }',
]);
const V4_SINGLE_HOP = parseAbiParameters([
  'Swap swap',
  'struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }',
  'struct Swap { PoolKey poolKey; bool zeroForOne; uint128 amountIn; uint128 amountOutMinimum; uint256 minHopPriceX36; bytes hookData; }',
]);
const PATH_KEY =
  'struct PathKey { address intermediateCurrency; uint24 fee; int24 tickSpacing; address hooks; bytes hookData; }';
const V4_PATH = {
  '2.0': parseAbiParameters([
    'Swap swap',
    PATH_KEY,
    'struct Swap { address currencyIn; PathKey[] path; uint128 amountIn; uint128 amountOutMinimum; }',
  ]),
  '2.1': parseAbiParameters([
    'Swap swap',
    PATH_KEY,
    'struct Swap { address currencyIn; PathKey[] path; uint256[] maxHopSlippage; uint128 amountIn; uint128 amountOutMinimum; }',
  ]),
} as const;

const V4_EXACT_OUT_PATH = {
  '2.0': parseAbiParameters([
    'Swap swap',
    PATH_KEY,
    'struct Swap { address currencyOut; PathKey[] path; uint128 amountOut; uint128 amountInMaximum; }',
  ]),
  '2.1': parseAbiParameters([
    'Swap swap',
    PATH_KEY,
    'struct Swap { address currencyOut; PathKey[] path; uint256[] maxHopSlippage; uint128 amountOut; uint128 amountInMaximum; }',
  ]),
} as const;

/** Consecutive hops of one kind, told what to pay. */
export interface ExactOutSwap {
  readonly hops: readonly SwapHop[];
  readonly amountOut: bigint;
  readonly amountInMax: bigint;
  readonly recipient: Address;
  /** Whether the wallet pays through Permit2, or the router from its balance. */
  readonly payerIsUser: boolean;
}

/** Consecutive hops of one kind, swapped by one command. */
export interface PathSwap {
  readonly hops: readonly SwapHop[];
  readonly amountIn: bigint;
  readonly amountOutMin: bigint;
  readonly recipient: Address;
  /** Whether the wallet pays through Permit2, or the router from its balance. */
  readonly payerIsUser: boolean;
}

/** What the wallet must receive. */
interface ForwardedOutput {
  readonly tokenOut: Address;
  readonly wrapped: Address;
  readonly recipient: Address;
  readonly amountOutMin: bigint;
  readonly fee?: IntegratorFee | undefined;
}

function listTokens(hops: readonly SwapHop[]): Hex[] {
  return [
    ...hops.slice(0, 1).map(({ tokenIn }) => tokenIn),
    ...hops.map((hop) => hop.tokenOut),
  ] as Hex[];
}

function readFee({ pool }: SwapHop): number {
  if (pool.kind !== 'v3') throw new Error(`${pool.kind} pool in a V3 path`);
  return pool.feePips;
}

function readKey({ pool }: SwapHop): PoolKey {
  if (pool.kind !== 'v4') throw new Error(`${pool.kind} pool in a V4 path`);
  return pool.key;
}

/** `isReversed`: from the output to the input, as swaps for a given output take it. */
function encodePackedPath(hops: readonly SwapHop[], isReversed: boolean): Hex {
  const [tokens, fees] = [listTokens(hops), hops.map(readFee)];
  if (isReversed) for (const list of [tokens, fees]) list.reverse();
  const [first, ...others] = tokens;
  const parts = others.map((token, index) =>
    encodePacked(['uint24', 'address'], [fees[index] ?? 0, token]).slice(2),
  );
  return `${first ?? '0x'}${parts.join('')}`;
}

function encodeV4Single(
  hops: readonly SwapHop[],
  [amountIn, amountOutMinimum]: readonly [bigint, bigint],
  version: UniversalRouterVersion,
): Hex {
  const hop = hops[0] as SwapHop;
  const key = readKey(hop);
  const [currency0, currency1, hooks] = [key.currency0, key.currency1, key.hooks] as [
    Hex,
    Hex,
    Hex,
  ];
  const poolKey = { ...key, currency0, currency1, hooks };
  const zeroForOne = hop.tokenIn === key.currency0;
  const amounts = { amountIn, amountOutMinimum };
  const single = { poolKey, zeroForOne, ...amounts, hookData: '0x' as const };
  return version === '2.1.1'
    ? encodeAbiParameters(V4_SINGLE_HOP, [{ ...single, minHopPriceX36: 0n }])
    : encodeAbiParameters(V4_SINGLE, [single]);
}

/** A path names the pools by the token at their other end. */
function buildPathKeys(hops: readonly SwapHop[], tokens: readonly Hex[]) {
  return hops.map(readKey).map(({ fee, tickSpacing, hooks }, index) => ({
    intermediateCurrency: tokens[index] as Hex,
    ...{ fee, tickSpacing, hooks: hooks as Hex },
    hookData: '0x' as const,
  }));
}

export class RouterCommands {
  readonly #version: UniversalRouterVersion;
  readonly #inputs: Hex[] = [];
  #commands = '';

  constructor(version: UniversalRouterVersion) {
    this.#version = version;
  }

  /** Gives the wallet's signed permit to Permit2; `encodePermitInput` makes the input. */
  permit(input: Hex): void {
    this.#add(COMMAND.permit, input);
  }

  /** Native coin held by the router → wrapped coin for the recipient. */
  wrap(recipient: Address, amount: bigint): void {
    this.#add(COMMAND.wrap, encodeAbiParameters(TO_AMOUNT, [recipient as Hex, amount]));
  }

  /** All wrapped coin held by the router → native coin for the recipient. */
  unwrap(recipient: Address, amountMin: bigint): void {
    this.#add(COMMAND.unwrap, encodeAbiParameters(TO_AMOUNT, [recipient as Hex, amountMin]));
  }

  /** All of a token held by the router → the recipient. */
  sweep(token: Address, recipient: Address, amountMin: bigint): void {
    const values = [token as Hex, recipient as Hex, amountMin] as const;
    this.#add(COMMAND.sweep, encodeAbiParameters(TOKEN_TO_AMOUNT, values));
  }

  /**
   * All of the output held by the router → the recipient. `paid`: the tokens that pools paid, which
   * may be both forms of the native coin.
   */
  forward(
    paid: ReadonlySet<Address>,
    { tokenOut, wrapped, recipient, amountOutMin, fee }: ForwardedOutput,
  ): void {
    if (tokenOut === ZERO_ADDRESS && !paid.has(ZERO_ADDRESS) && fee === undefined) {
      this.unwrap(recipient, amountOutMin);
      return;
    }
    if (tokenOut === ZERO_ADDRESS && paid.has(wrapped)) this.unwrap(ROUTER, 0n);
    if (tokenOut === wrapped && paid.has(ZERO_ADDRESS)) this.wrap(ROUTER, WHOLE_BALANCE);
    if (fee !== undefined) this.#payPortion(tokenOut, fee);
    this.sweep(tokenOut, recipient, amountOutMin);
  }

  /** A part of all that the router holds of a token. */
  #payPortion(token: Address, { bps, recipient }: IntegratorFee): void {
    const values = [token as Hex, recipient as Hex, BigInt(bps)] as const;
    this.#add(COMMAND.payPortion, encodeAbiParameters(TOKEN_TO_AMOUNT, values));
  }

  /** The wallet's token → the router, through Permit2. */
  pull(token: Address, amount: bigint): void {
    const values = [token as Hex, ROUTER as Hex, amount] as const;
    this.#add(COMMAND.pull, encodeAbiParameters(TOKEN_TO_AMOUNT_160, values));
  }

  v2Swap(swap: PathSwap): void {
    const { recipient, amountIn, amountOutMin } = swap;
    this.#addV2(COMMAND.v2Swap, swap, [recipient as Hex, amountIn, amountOutMin]);
  }

  v3Swap(swap: PathSwap): void {
    const { recipient, amountIn, amountOutMin, hops } = swap;
    const path = encodePackedPath(hops, false);
    this.#addV3(COMMAND.v3Swap, swap, [recipient as Hex, amountIn, amountOutMin, path]);
  }

  v2ExactOut(swap: ExactOutSwap): void {
    const { recipient, amountOut, amountInMax } = swap;
    this.#addV2(COMMAND.v2ExactOut, swap, [recipient as Hex, amountOut, amountInMax]);
  }

  v3ExactOut(swap: ExactOutSwap): void {
    const { recipient, amountOut, amountInMax, hops } = swap;
    const path = encodePackedPath(hops, true);
    this.#addV3(COMMAND.v3ExactOut, swap, [recipient as Hex, amountOut, amountInMax, path]);
  }

  /** Takes the amount itself, so that a pool that pays less makes the whole trade revert. */
  v4ExactOut(swap: ExactOutSwap): void {
    const { hops, amountOut, payerIsUser, recipient } = swap;
    const tokens = listTokens(hops);
    const [currencyIn, currencyOut] = [tokens[0] as Hex, tokens.at(-1) as Hex];
    const [code, exchange] = this.#encodeV4ExactOut(swap);
    const settle = encodeAbiParameters(V4_SETTLE, [currencyIn, OPEN_DELTA, payerIsUser]);
    const take = encodeAbiParameters(TOKEN_TO_AMOUNT, [currencyOut, recipient as Hex, amountOut]);
    const codes: Hex = `0x${code}${ACTION.settle}${ACTION.take}`;
    const input = encodeAbiParameters(V4_ACTIONS, [codes, [exchange, settle, take]]);
    this.#add(COMMAND.v4Swap, input);
  }

  /** A whole balance is paid before the swap, since only then is its amount known. */
  v4Swap(swap: PathSwap): void {
    const { hops, amountIn, payerIsUser, recipient } = swap;
    const tokens = listTokens(hops);
    const [currencyIn, currencyOut] = [tokens[0] as Hex, tokens.at(-1) as Hex];
    const isPaidFirst = amountIn === WHOLE_BALANCE;
    const settle = (amount: bigint) =>
      [ACTION.settle, encodeAbiParameters(V4_SETTLE, [currencyIn, amount, payerIsUser])] as const;
    const take = encodeAbiParameters(TOKEN_TO_AMOUNT, [currencyOut, recipient as Hex, OPEN_DELTA]);
    const exchange = this.#encodeV4Exchange({
      ...swap,
      amountIn: isPaidFirst ? OPEN_DELTA : amountIn,
    });
    const actions = isPaidFirst
      ? [settle(WHOLE_BALANCE), exchange, [ACTION.take, take] as const]
      : [exchange, settle(OPEN_DELTA), [ACTION.take, take] as const];
    const codes: Hex = `0x${actions.map(([code]) => code).join('')}`;
    const params = actions.map(([, param]) => param);
    this.#add(COMMAND.v4Swap, encodeAbiParameters(V4_ACTIONS, [codes, params]));
  }

  encode(deadlineSeconds: number): Hex {
    const commands: Hex = `0x${this.#commands}`;
    const args = [commands, this.#inputs, BigInt(deadlineSeconds)] as const;
    return encodeFunctionData({ abi: EXECUTE_ABI, args });
  }

  #addV2(
    command: string,
    { hops, payerIsUser }: PathSwap | ExactOutSwap,
    ends: readonly [recipient: Hex, amount: bigint, limit: bigint],
  ): void {
    const swap = [...ends, listTokens(hops), payerIsUser] as const;
    const input =
      this.#version === '2.1.1'
        ? encodeAbiParameters(V2_SWAP_HOPS, [...swap, []])
        : encodeAbiParameters(V2_SWAP, swap);
    this.#add(command, input);
  }

  #addV3(
    command: string,
    { payerIsUser }: PathSwap | ExactOutSwap,
    ends: readonly [recipient: Hex, amount: bigint, limit: bigint, path: Hex],
  ): void {
    const swap = [...ends, payerIsUser] as const;
    const input =
      this.#version === '2.1.1'
        ? encodeAbiParameters(V3_SWAP_HOPS, [...swap, []])
        : encodeAbiParameters(V3_SWAP, swap);
    this.#add(command, input);
  }

  #encodeV4ExactOut({ hops, amountOut, amountInMax }: ExactOutSwap): readonly [string, Hex] {
    // Both kinds of single swaps have the same fields in the same order.
    if (hops.length === 1) {
      return [ACTION.exactOutSingle, encodeV4Single(hops, [amountOut, amountInMax], this.#version)];
    }
    const tokens = listTokens(hops);
    const whole = {
      currencyOut: tokens.at(-1) as Hex,
      path: buildPathKeys(hops, tokens.slice(0, -1)),
      ...{ amountOut, amountInMaximum: amountInMax },
    };
    return [
      ACTION.exactOutPath,
      this.#version === '2.0'
        ? encodeAbiParameters(V4_EXACT_OUT_PATH['2.0'], [whole])
        : encodeAbiParameters(V4_EXACT_OUT_PATH['2.1'], [{ ...whole, maxHopSlippage: [] }]),
    ];
  }

  #encodeV4Exchange(swap: PathSwap): readonly [string, Hex] {
    const { hops, amountIn, amountOutMin } = swap;
    if (hops.length === 1) {
      return [ACTION.swapSingle, encodeV4Single(hops, [amountIn, amountOutMin], this.#version)];
    }
    const tokens = listTokens(hops);
    const amounts = { amountIn, amountOutMinimum: amountOutMin };
    const path = buildPathKeys(hops, tokens.slice(1));
    const whole = { currencyIn: tokens[0] as Hex, path, ...amounts };
    return [
      ACTION.swapPath,
      this.#version === '2.0'
        ? encodeAbiParameters(V4_PATH['2.0'], [whole])
        : encodeAbiParameters(V4_PATH['2.1'], [{ ...whole, maxHopSlippage: [] }]),
    ];
  }

  #add(command: string, input: Hex): void {
    this.#commands += command;
    this.#inputs.push(input);
  }
}
