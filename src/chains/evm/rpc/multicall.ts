// Many contract reads in few requests. Some of the called contracts are hostile, so one of them
// must not affect the results of the others.

import type { Address } from '../../../model/ids.ts';
import type { RpcClient } from '../../rpc/rpc-client.ts';
import type { RpcCall } from '../../rpc/rpc-dialect.ts';
import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts';
import { isRpcError, RpcError } from '../../rpc/rpc-error.ts';
import { addressWord, toQuantity, uintWord } from '../data/hex-data.ts';
import { type BlockPin, readPinned } from './read-pinned.ts';

export interface ContractCall {
  readonly to: Address;
  readonly data: string;
}

/** Reads in bulk; null if the contract did not respond. */
export type CallContracts = (calls: readonly ContractCall[]) => Promise<(string | null)[]>;

interface MulticallOptions {
  readonly client: Pick<RpcClient, 'at'>;
  /** Null if the chain has none: then every call is separate, in batches. */
  readonly multicall3: Address | null;
  /** A block number, or a block of one branch; null means the latest. */
  readonly block: number | BlockPin | null;
  /** Called with the number of `eth_call`s sent. */
  readonly onCalls?: ((count: number) => void) | undefined;
  /** How far an endpoint must have come to be asked. */
  readonly minBlock?: number;
  readonly signal?: AbortSignal | undefined;
}

export const AGGREGATE3_SELECTOR = '0x82ad56cb';

const CALLS_MAX = 200;

/** Enough for any honest getter, and low enough to stop an endless loop quickly. */
const SINGLE_CALL_GAS = 3_000_000;

/** The average gas per call in a group; a call that needs more is repeated alone. */
const SHARED_CALL_GAS = 60_000;

const HEX_BYTES = /^0x(?:[0-9a-f]{2})*$/i;

/** Errors caused by the call itself. */
const OWN_FAULTS = ['reverted', 'replyTooLarge', 'rangeTooLarge'] as const;

function encodeAggregate(calls: readonly ContractCall[]): string {
  const offsets: string[] = [];
  const tuples: string[] = [];
  let offset = calls.length * 32;
  for (const call of calls) {
    const bytes = (call.data.length - 2) / 2;
    const padded = call.data.slice(2).padEnd(Math.ceil(bytes / 32) * 64, '0');
    offsets.push(uintWord(offset));
    tuples.push(addressWord(call.to), uintWord(1), uintWord(0x60), uintWord(bytes), padded);
    offset += 4 * 32 + padded.length / 2;
  }
  const head = [uintWord(0x20), uintWord(calls.length)];
  return `${AGGREGATE3_SELECTOR}${[...head, ...offsets, ...tuples].join('')}`;
}

/** A small number at a byte position; anything else ends the decoding. */
function numberAt(hex: string, position: number): number {
  const word = hex.slice(position * 2, position * 2 + 64);
  const value = word.length === 64 ? Number(`0x${word}`) : Number.NaN;
  if (!Number.isSafeInteger(value)) throw new RangeError('malformed aggregate');
  return value;
}

/** One entry per call: its result, or null if it failed. */
function decodeAggregate(data: string, count: number): (string | null)[] {
  const hex = data.slice(2);
  const array = numberAt(hex, 0);
  if (numberAt(hex, array) !== count) throw new RangeError('malformed aggregate');
  return Array.from({ length: count }, (_, index) => {
    const tuple = array + 32 + numberAt(hex, array + 32 + index * 32);
    if (numberAt(hex, tuple) === 0) return null;
    const bytes = tuple + numberAt(hex, tuple + 32);
    const start = (bytes + 32) * 2;
    const end = start + numberAt(hex, bytes) * 2;
    if (end > hex.length) throw new RangeError('malformed aggregate');
    return `0x${hex.slice(start, end)}`;
  });
}

function parseBytes(value: unknown, endpoint: RpcEndpoint): string {
  if (typeof value === 'string' && HEX_BYTES.test(value)) return value.toLowerCase();
  throw new RpcError('invalidReply', `${endpoint.name}: bytes expected`, {
    endpoint: endpoint.name,
  });
}

/** Runs a read at one endpoint after the other until one can do it. */
function readAt<T>(
  options: MulticallOptions,
  read: (endpoint: RpcEndpoint, tag: unknown) => Promise<T>,
): Promise<T> {
  const { client, block, onCalls, signal } = options;
  const minBlock = (typeof block === 'object' ? block?.position : block) ?? options.minBlock;
  const work = { signal, ...(minBlock === undefined ? {} : { minBlock }) };
  return client.at((endpoint) => {
    if (typeof block !== 'object') return read(endpoint, toQuantity(block));
    if (block === null) return read(endpoint, 'latest');
    return readPinned(endpoint, { block, read: (tag) => read(endpoint, tag), onCalls, signal });
  }, work);
}

/** Each call separately, with its own gas. */
async function callSingly(
  calls: readonly ContractCall[],
  options: MulticallOptions,
): Promise<(string | null)[]> {
  if (calls.length === 0) return [];
  const gas = toQuantity(SINGLE_CALL_GAS);
  options.onCalls?.(calls.length);
  try {
    return await readAt(options, async (endpoint, tag) => {
      const requests = calls.map(
        ({ to, data }): RpcCall => ({ method: 'eth_call', params: [{ to, data, gas }, tag] }),
      );
      const outcomes = await endpoint.batch(requests, { signal: options.signal });
      return outcomes.map((outcome) => {
        if (!outcome.ok && isRpcError(outcome.error, ...OWN_FAULTS)) return null;
        return parseBytes(endpoint.unwrap(outcome), endpoint);
      });
    });
  } catch (error) {
    if (calls.length === 1 && isRpcError(error, ...OWN_FAULTS)) return [null];
    throw error;
  }
}

async function aggregate(
  calls: readonly ContractCall[],
  options: MulticallOptions & { readonly multicall3: Address },
): Promise<(string | null)[]> {
  const { multicall3: to, signal } = options;
  options.onCalls?.(1);
  const gas = toQuantity(SINGLE_CALL_GAS + calls.length * SHARED_CALL_GAS);
  const call = { to, data: encodeAggregate(calls), gas };
  const answers = await readAt(options, async (endpoint, tag) => {
    const reply = await endpoint.request({ method: 'eth_call', params: [call, tag] }, signal);
    const bytes = parseBytes(reply, endpoint);
    // No code there: the contract is younger than the block, or missing.
    if (bytes === '0x') return null;
    try {
      return decodeAggregate(bytes, calls.length);
    } catch (error) {
      throw new RpcError('invalidReply', `${endpoint.name}: malformed aggregate`, { cause: error });
    }
  });
  if (answers === null) return await callSingly(calls, options);
  // A call that failed here may only have run out of gas because of a neighbour: it is repeated
  // alone.
  const failed = calls.flatMap((call, index) => (answers[index] === null ? [{ call, index }] : []));
  const alone = await callSingly(
    failed.map(({ call }) => call),
    options,
  );
  for (const [position, { index }] of failed.entries()) answers[index] = alone[position] ?? null;
  return answers;
}

async function callPart(
  calls: readonly ContractCall[],
  options: MulticallOptions,
): Promise<(string | null)[]> {
  const { multicall3 } = options;
  if (multicall3 === null || calls.length === 1) return await callSingly(calls, options);
  try {
    return await aggregate(calls, { ...options, multicall3 });
  } catch (error) {
    if (!isRpcError(error, ...OWN_FAULTS)) throw error;
    // Smaller groups could fail the same way, so each call is made separately.
    return await callSingly(calls, options);
  }
}

/** The result of each call, in order; null if the contract itself failed. */
export async function callContracts(
  calls: readonly ContractCall[],
  options: MulticallOptions,
): Promise<(string | null)[]> {
  const answers: (string | null)[] = [];
  for (let start = 0; start < calls.length; start += CALLS_MAX) {
    answers.push(...(await callPart(calls.slice(start, start + CALLS_MAX), options)));
  }
  return answers;
}
