// Simulates a wallet's calls one after the other on the state of a block; sends nothing.

import { maxOf } from '../../../lib/bigint-bounds.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Address } from '../../../model/ids.ts';
import type { RpcClient } from '../../rpc/rpc-client.ts';
import type { RpcCall } from '../../rpc/rpc-dialect.ts';
import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts';
import { isRpcError, RpcError } from '../../rpc/rpc-error.ts';
import { evmAddress } from '../data/evm-ids.ts';
import { addressWord, toQuantity, uintAt, uintWord } from '../data/hex-data.ts';
import { parseBlock } from '../data/parse-block.ts';
import {
  type BlockConditions,
  createAccountOverride,
  createRandomAddress,
  disguiseCode,
  encodeConditions,
} from '../rpc/realistic-simulation.ts';

export interface WalletCall {
  readonly to: Address;
  readonly data: string;
  readonly value: bigint;
  /** Its gas limit. */
  readonly gas: bigint;
  /** Only looks; somebody else may make it, so that the wallet pays no gas for it. */
  readonly isRead?: boolean;
}

export interface CallOutcome {
  readonly isOk: boolean;
  /** The return data, or the revert data. */
  readonly returnData: string;
  /** As a separate transaction. */
  readonly gasUsed: bigint;
}

/** Overrides of an account's real state. */
export interface AccountOverride {
  readonly balance?: bigint;
  readonly code?: string;
  /** Storage words by slot. */
  readonly slots?: ReadonlyMap<string, string>;
}

export type StateOverrides = ReadonlyMap<Address, AccountOverride>;

interface SimulationRequest {
  readonly wallet: Address;
  /** What it has of the native coin; more is given if it could not pay the calls and their gas. */
  readonly nativeRaw: bigint;
  readonly gasPrice: bigint;
  /** Of a recent block; null if the node does not tell. */
  readonly conditions: BlockConditions | null;
  readonly calls: readonly WalletCall[];
  readonly overrides: StateOverrides;
  /** Without a hash, any block at that position. */
  readonly block: { readonly position: number; readonly hash: string | null };
  /** The time of the simulated block; if absent, the node's choice. */
  readonly timeSeconds?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** `moved`: the block is no longer part of the chain. `unable`: no node can do this. */
export type Simulation =
  | {
      readonly status: 'done';
      readonly outcomes: readonly CallOutcome[];
      /** What the wallet paid for gas between the first and the last call. */
      readonly feesRaw: bigint;
      /** The time that was asked for, if the node took it over. */
      readonly timeSeconds?: number | undefined;
    }
  | { readonly status: 'moved' }
  | { readonly status: 'unable'; readonly isUnsupported?: boolean };

/**
 * Stands for an address, another one in each simulation, that returns the native balance of the
 * address that it is given.
 */
const BALANCE_READER = evmAddress('0xba1a00000000000000000000000000000000ba1a');
/** `return(balance(calldataload(0)))` */
const BALANCE_READER_CODE = '0x6000353160005260206000f3';

/**
 * Stands in for the wallet's code where a node only knows `eth_call`: makes the calls that its data
 * lists, in order, and returns of each whether it went well, its gas and its data. Others are told
 * that its signature is right (ERC-1271): Permit2 asks the code of a wallet that has some. In Yul:
 *
 *     if eq(caller(), address()) {
 *       let p := 0
 *       for { let i := 0 } lt(i, calldatasize()) {} {
 *         let length := calldataload(add(i, 0x60))
 *         let body := add(p, 0x60)
 *         calldatacopy(body, add(i, 0x80), length)
 *         let before := gas()
 *         let ok := call(calldataload(add(i, 0x40)), calldataload(i), calldataload(add(i, 0x20)),
 *           body, length, 0, 0)
 *         mstore(add(p, 0x20), sub(before, gas()))
 *         mstore(p, ok)
 *         mstore(add(p, 0x40), returndatasize())
 *         returndatacopy(body, 0, returndatasize())
 *         p := add(body, returndatasize())
 *         i := add(add(i, 0x80), length)
 *       }
 *       return(0, p)
 *     }
 *     mstore(0, shl(224, 0x1626ba7e))
 *     return(0, 0x20)
 */
const EXECUTOR_CODE =
  '0x303314601657631626ba7e60e01b60005260206000f35b6000805b368110602557506000f35b90608090606080840135918181018385870182375a600080868460208b01358b3560408d0135f1905a9003602084015282523d604083015260003d913e3d0101920101601a56';

const TRANSACTION_GAS = 21_000n;
const ZERO_BYTE_GAS = 4n;
const BYTE_GAS = 16n;
const EXECUTOR_GAS = 500_000n;

/** How long a node without `eth_simulateV1` is not asked for it again. */
const UNSUPPORTED_MS = 10 * 60_000;

const HEX = /^0x[0-9a-f]*$/i;

export function buildNativeBalanceRead(owner: Address): WalletCall {
  return {
    to: BALANCE_READER,
    data: `0x${addressWord(owner)}`,
    value: 0n,
    gas: 100_000n,
    isRead: true,
  };
}

function toHex(value: bigint): string {
  return `0x${value.toString(16)}`;
}

function encodeOverrides(overrides: StateOverrides): Record<string, object> {
  return Object.fromEntries(
    [...overrides].map(([address, { balance, code, slots }]) => [
      address,
      {
        ...(balance === undefined ? {} : { balance: toHex(balance) }),
        ...(code === undefined ? {} : { code }),
        ...(slots === undefined ? {} : { stateDiff: Object.fromEntries(slots) }),
      },
    ]),
  );
}

function withOverride(
  overrides: StateOverrides,
  address: Address,
  more: AccountOverride,
): StateOverrides {
  return new Map([...overrides, [address, { ...overrides.get(address), ...more }]]);
}

/** The request with an address of this simulation alone for what reads balances. */
function placeReader(request: SimulationRequest): SimulationRequest {
  const reader = createRandomAddress();
  const calls = request.calls.map((call) =>
    call.to === BALANCE_READER ? { ...call, to: reader } : call,
  );
  const code = disguiseCode(BALANCE_READER_CODE);
  return { ...request, calls, overrides: withOverride(request.overrides, reader, { code }) };
}

function sumOf(values: readonly bigint[]): bigint {
  return values.reduce((sum, one) => sum + one, 0n);
}

function buildInvalidReplyError(endpoint: RpcEndpoint): RpcError {
  const { name } = endpoint;
  return new RpcError('invalidReply', `${name}: malformed simulation`, { endpoint: name });
}

function computeCallGas(data: string): bigint {
  let gas = TRANSACTION_GAS;
  for (let i = 2; i < data.length; i += 2) {
    gas += data.startsWith('00', i) ? ZERO_BYTE_GAS : BYTE_GAS;
  }
  return gas;
}

/** With validation contracts see the block's real base fee; only accounts without code pass. */
function buildSimulateCall(placed: SimulationRequest, validation: boolean): RpcCall {
  const { wallet, nativeRaw, conditions, timeSeconds } = placed;
  const gasPrice = toHex(placed.gasPrice);
  const asker = createRandomAddress();
  const calls = placed.calls.map(({ to, data, value, gas, isRead }) => ({
    ...{ from: isRead ? asker : wallet, to, data, input: data, gasPrice },
    value: toHex(value),
    gas: toHex(gas),
  }));
  const needed = sumOf(placed.calls.map(({ value, gas }) => value + gas * placed.gasPrice));
  const overrides = encodeOverrides(
    nativeRaw < needed
      ? withOverride(placed.overrides, wallet, { balance: needed })
      : placed.overrides,
  );
  const time = timeSeconds === undefined ? {} : { time: toQuantity(timeSeconds) };
  const blockStateCalls = [
    {
      blockOverrides: { ...encodeConditions(conditions), ...time },
      stateOverrides: { ...overrides, [asker]: createAccountOverride(needed) },
      calls,
    },
  ];
  const params = [{ blockStateCalls, validation }, toQuantity(placed.block.position)];
  return { method: 'eth_simulateV1', params };
}

/** What the wallet paid for gas: each of its calls was a transaction of its own. */
function sumSimulatedFees(
  { calls, gasPrice }: SimulationRequest,
  outcomes: readonly CallOutcome[],
) {
  const used = outcomes.filter((_, index) => calls[index]?.isRead !== true);
  return sumOf(used.map(({ gasUsed }) => gasUsed * gasPrice));
}

function parseSimulated(value: unknown, request: SimulationRequest): CallOutcome[] | null {
  const calls: unknown = Array.isArray(value) ? value[0]?.calls : null;
  if (!Array.isArray(calls) || calls.length !== request.calls.length) return null;
  const outcomes: CallOutcome[] = [];
  for (const call of calls) {
    const { status, returnData, gasUsed, error } = call ?? {};
    const revertData: unknown = error?.data ?? returnData;
    if (typeof gasUsed !== 'string' || !HEX.test(gasUsed)) return null;
    const isOk = status === '0x1';
    const data = isOk ? returnData : (revertData ?? '0x');
    if (typeof data !== 'string' || !HEX.test(data)) return null;
    outcomes.push({ isOk, returnData: data.toLowerCase(), gasUsed: BigInt(gasUsed) });
  }
  return outcomes;
}

/** Undefined unless the simulated block has the time that was asked for. */
function findSimulatedTime(value: unknown, { timeSeconds }: SimulationRequest): number | undefined {
  const timestamp: unknown = Array.isArray(value) ? value[0]?.timestamp : null;
  const isTaken = timeSeconds !== undefined && timestamp === toQuantity(timeSeconds);
  return isTaken ? timeSeconds : undefined;
}

/**
 * In the block itself, not in one after it: its time cannot be chosen everywhere. All calls are one
 * transaction, whose gas is paid before the first of them.
 */
function buildExecuteCall(placed: SimulationRequest): RpcCall {
  const { wallet, calls, block, nativeRaw, gasPrice } = placed;
  const parts = calls.map(({ to, data, value, gas }) => {
    const bytes = data.slice(2);
    return [addressWord(to), uintWord(value), uintWord(gas), uintWord(bytes.length / 2), bytes];
  });
  const gas = sumOf(calls.map((call) => call.gas)) + EXECUTOR_GAS;
  const spent = sumOf(calls.map(({ value }) => value));
  const balance = maxOf(nativeRaw, spent) + gas * gasPrice;
  const code = disguiseCode(EXECUTOR_CODE);
  const whole = withOverride(placed.overrides, wallet, { code, balance });
  const data = `0x${parts.flat().join('')}`;
  const transaction = {
    from: wallet,
    to: wallet,
    data,
    gas: toHex(gas),
    gasPrice: toHex(gasPrice),
  };
  const params = [transaction, toQuantity(block.position), encodeOverrides(whole)];
  return { method: 'eth_call', params };
}

function parseExecuted(value: unknown, request: SimulationRequest): CallOutcome[] | null {
  if (typeof value !== 'string' || !HEX.test(value)) return null;
  const outcomes: CallOutcome[] = [];
  let rest = value.toLowerCase();
  for (const { data } of request.calls) {
    if (rest.length < 2 + 3 * 64) return null;
    const end = 2 + 3 * 64 + Number(uintAt(rest, 2)) * 2;
    if (rest.length < end) return null;
    outcomes.push({
      isOk: uintAt(rest, 0) === 1n,
      returnData: `0x${rest.slice(2 + 3 * 64, end)}`,
      gasUsed: uintAt(rest, 1) + computeCallGas(data),
    });
    rest = `0x${rest.slice(end)}`;
  }
  return outcomes;
}

/** Errors of a node that does not support such a request. */
const UNABLE_KINDS = ['rejected', 'reverted', 'stateUnavailable'] as const;

export class CallSimulator {
  readonly #client: RpcClient;
  readonly #clock: Clock;
  #unsupportedUntilMs = 0;

  constructor(client: RpcClient, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  async simulate(request: SimulationRequest): Promise<Simulation> {
    const nowMs = this.#clock.monotonicMs();
    const placed = placeReader(request);
    if (nowMs >= this.#unsupportedUntilMs) {
      for (const validation of [true, false]) {
        const call = buildSimulateCall(placed, validation);
        const simulated = await this.#run(placed, call, parseSimulated);
        if (simulated.status === 'done') {
          return { ...simulated, feesRaw: sumSimulatedFees(placed, simulated.outcomes) };
        }
        if (simulated.status === 'moved') return simulated;
        if (simulated.isUnsupported) break;
      }
    }
    const executed = await this.#run(placed, buildExecuteCall(placed), parseExecuted);
    // Only if the other way works is the method unsupported.
    if (executed.status === 'done') this.#unsupportedUntilMs = nowMs + UNSUPPORTED_MS;
    return executed.status === 'unable' ? { status: 'unable' } : executed;
  }

  /**
   * The time of the block after this one, as if blocks came at equal intervals; undefined if the
   * node does not have the block or the one before.
   */
  async readNextTime({ position }: SimulationRequest['block']): Promise<number | undefined> {
    const headers = [position, position - 1].map(
      (at): RpcCall => ({ method: 'eth_getBlockByNumber', params: [toQuantity(at), false] }),
    );
    const [last, before] = await this.#client.at(
      async (endpoint) => {
        const outcomes = await endpoint.batch(headers);
        return outcomes.map(
          (one) => parseBlock(endpoint.unwrap(one), endpoint.name)?.header.timestampMs,
        );
      },
      { minBlock: position },
    );
    if (last === undefined || before === undefined) return undefined;
    // A simulated block must be later than the one before it.
    return Math.floor((last + Math.max(1000, last - before)) / 1000);
  }

  async #run(
    request: SimulationRequest,
    call: RpcCall,
    parse: (value: unknown, request: SimulationRequest) => CallOutcome[] | null,
  ): Promise<Simulation> {
    const { block, signal } = request;
    const header: RpcCall = {
      method: 'eth_getBlockByNumber',
      params: [toQuantity(block.position), false],
    };
    try {
      return await this.#client.at(
        async (endpoint) => {
          const [at, outcome] = await endpoint.batch([header, call], { signal });
          const found = parseBlock(endpoint.unwrap(at), endpoint.name)?.header.hash ?? null;
          if (block.hash !== null && found !== block.hash) return { status: 'moved' as const };
          const value = endpoint.unwrap(outcome);
          const outcomes = parse(value, request);
          if (outcomes === null) throw buildInvalidReplyError(endpoint);
          const timeSeconds = findSimulatedTime(value, request);
          return { status: 'done' as const, outcomes, feesRaw: 0n, timeSeconds };
        },
        { signal, minBlock: block.position },
      );
    } catch (error) {
      if (isRpcError(error, 'unsupported')) return { status: 'unable', isUnsupported: true };
      if (isRpcError(error, ...UNABLE_KINDS)) return { status: 'unable' };
      throw error;
    }
  }
}
