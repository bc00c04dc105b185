// A node at the network's edge that knows one block and one wallet, and responds as scripted.

import { uintWord } from '../../src/chains/evm/data/hex-data.ts';
import { createEvmDialect } from '../../src/chains/evm/rpc/evm-dialect.ts';
import { RpcClient } from '../../src/chains/rpc/rpc-client.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { sleep } from '../../src/lib/retry.ts';
import { RpcFault, startMisbehavingRpc } from './misbehaving-rpc.ts';

/** A call of a simulation, as requested from the node. */
export interface SimulatedCall {
  readonly from: string;
  readonly to: string;
  readonly data: string;
  readonly value: string;
}

interface SimulatedBlock {
  readonly calls: SimulatedCall[];
  readonly blockOverrides?: { readonly time?: string };
}

export interface SimulatedOutcome {
  readonly isOk: boolean;
  readonly returnData: string;
  readonly gasUsed?: string;
}

export interface NodeScript {
  block: { readonly number: number; readonly hash: string; readonly timestampMs: number };
  nativeRaw: bigint;
  balanceRaw: bigint;
  allowanceRaw: bigint;
  permit2: { amountRaw: bigint; expiration: number };
  /** The wallet's balance of the bought asset before, and how much more it has after the calls. */
  heldRaw: bigint;
  arrivingRaw: bigint;
  /** The outcome of a call other than the two balance reads; null if the node cannot simulate. */
  outcomeOf: ((call: SimulatedCall, index: number) => SimulatedOutcome) | null;
  /** How far blocks are apart. */
  blockSeconds: number;
  /** Whether it ignores the time that a simulation asks for. */
  keepsTime?: boolean;
}

export interface ScriptedNode {
  readonly script: NodeScript;
  readonly client: RpcClient;
  /** The calls of every simulation, in order. */
  readonly simulations: readonly (readonly SimulatedCall[])[];
  /** The time that the last simulation asked for, in seconds; null if it asked for none. */
  readonly askedTime: number | null;
  stop(): Promise<void>;
}

const GAS_USED = '0x186a0';
const OK: SimulatedOutcome = { isOk: true, returnData: '0x' };

export function createNodeScript(more: Partial<NodeScript> = {}): NodeScript {
  return {
    block: { number: 100, hash: `0x${'b1'.repeat(32)}`, timestampMs: 1_790_000_000_000 },
    nativeRaw: 10n ** 18n,
    balanceRaw: 10n ** 24n,
    allowanceRaw: 0n,
    permit2: { amountRaw: 0n, expiration: 0 },
    heldRaw: 77n,
    arrivingRaw: 0n,
    outcomeOf: () => OK,
    blockSeconds: 2,
    ...more,
  };
}

/** The block, or one below it. */
function buildBlock({ block, blockSeconds }: NodeScript, number = block.number) {
  const isLast = number === block.number;
  const seconds = block.timestampMs / 1000 - (block.number - number) * blockSeconds;
  return {
    number: `0x${number.toString(16)}`,
    hash: isLast ? block.hash : `0x${'b0'.repeat(32)}`,
    parentHash: isLast ? `0x${'b0'.repeat(32)}` : `0x${'af'.repeat(32)}`,
    timestamp: `0x${seconds.toString(16)}`,
    transactions: [],
  };
}

function readContract(script: NodeScript, data: string): string {
  const { amountRaw, expiration } = script.permit2;
  if (data.startsWith('0x70a08231')) return `0x${uintWord(script.balanceRaw)}`;
  if (data.startsWith('0xdd62ed3e')) return `0x${uintWord(script.allowanceRaw)}`;
  if (data.startsWith('0x927da105')) {
    return `0x${uintWord(amountRaw)}${uintWord(BigInt(expiration))}${uintWord(0n)}`;
  }
  throw new RpcFault(3, 'execution reverted');
}

/** The first and the last call read the balance of what is bought. */
function simulate(script: NodeScript, calls: readonly SimulatedCall[]) {
  if (script.outcomeOf === null) throw new RpcFault(-32601, 'the method is not available');
  const { outcomeOf, heldRaw } = script;
  const outcomes = calls.map((call, index): SimulatedOutcome => {
    if (index === 0) return { isOk: true, returnData: `0x${uintWord(heldRaw)}` };
    if (index < calls.length - 1) return outcomeOf(call, index - 1);
    // The calls before may decide what arrives.
    return { isOk: true, returnData: `0x${uintWord(heldRaw + script.arrivingRaw)}` };
  });
  const buildCall = ({ isOk, returnData, gasUsed = GAS_USED }: SimulatedOutcome) => ({
    ...{ status: isOk ? '0x1' : '0x0', returnData: isOk ? returnData : '0x', gasUsed },
    ...(isOk ? {} : { error: { code: 3, message: 'execution reverted', data: returnData } }),
  });
  return [{ calls: outcomes.map(buildCall) }];
}

export async function startScriptedNode(script: NodeScript): Promise<ScriptedNode> {
  const simulations: SimulatedCall[][] = [];
  let askedTime: number | null = null;
  const node = await startMisbehavingRpc((method, params) => {
    if (method === 'eth_chainId') return '0x539';
    if (method === 'eth_blockNumber') return buildBlock(script).number;
    if (method === 'eth_getBlockByNumber') {
      const number = Number(params[0]);
      return buildBlock(script, Number.isInteger(number) ? number : undefined);
    }
    if (method === 'eth_getBalance') return `0x${script.nativeRaw.toString(16)}`;
    if (method === 'eth_getTransactionCount') return '0x5';
    if (method === 'eth_feeHistory') return { baseFeePerGas: ['0x7'], reward: [['0x1']] };
    if (method === 'eth_simulateV1') {
      const [{ blockStateCalls }] = params as [{ blockStateCalls: SimulatedBlock[] }];
      const { calls = [], blockOverrides } = blockStateCalls[0] ?? {};
      simulations.push(calls);
      const { time } = blockOverrides ?? {};
      askedTime = time === undefined ? null : Number(time);
      const timestamp = (!script.keepsTime && time) || buildBlock(script).timestamp;
      return simulate(script, calls).map((one) => ({ ...one, timestamp }));
    }
    const [call, , overrides] = params as [{ data: string } | undefined, unknown, unknown];
    if (method !== 'eth_call' || overrides !== undefined || call === undefined) {
      throw new RpcFault(-32601, `the method ${method} is not available`);
    }
    return readContract(script, call.data);
  });
  const client = new RpcClient({
    ...{
      endpoints: [node.url],
      dialect: createEvmDialect(1337),
      clock: systemClock,
      sleep,
      random: Math.random,
    },
    log: { info: () => undefined, warn: () => undefined },
    budgetMs: 60_000,
    limits: {
      ...{ timeoutMs: 60_000, replyBytesMax: 1 << 20, batchCallsMax: 50 },
      ...{ batchesMax: 2, chainCheckMs: 600_000 },
    },
  });
  return {
    script,
    client,
    simulations,
    get askedTime() {
      return askedTime;
    },
    stop: async () => {
      client.close();
      await node.stop();
    },
  };
}

/** The return data of a revert with a text. */
export function encodeRevert(text: string): string {
  const bytes = Buffer.from(text).toString('hex');
  const padded = bytes.padEnd(Math.ceil(bytes.length / 64) * 64, '0');
  return `0x08c379a0${uintWord(32n)}${uintWord(BigInt(text.length))}${padded}`;
}
