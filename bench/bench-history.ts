// Part `history`: blocks of the past by RPC (100 ms a request, 50 calls a second) and by a Portal
// on loopback with the limits that its documents name, and what it costs to prove a block.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';
import { parsePortalBlock } from '../src/chains/evm/archives/parse-portal-block.ts';
import { proveBlock } from '../src/chains/evm/archives/prove-block.ts';
import { createEvmAdapter } from '../src/chains/evm/create-evm-adapter.ts';
import { nativeKeccak } from '../src/chains/evm/data/keccak.ts';
import { systemClock } from '../src/lib/clock.ts';
import { sleep } from '../src/lib/retry.ts';
import type { PoolDescription } from '../src/model/pool.ts';
import {
  buildSwapLogs,
  PAIR,
  recordChain,
  SCENE_DEPLOYMENT,
  TOKEN,
  TRADER,
  transfer,
  WETH,
} from '../test/fakes/chain-scene.ts';
import { limitRate } from '../test/fakes/limit-rate.ts';
import { MemoryChain } from '../test/fakes/memory-chain.ts';
import { startMisbehavingRpc } from '../test/fakes/misbehaving-rpc.ts';
import { type ProvedChain, proveChain } from '../test/fakes/proved-chain.ts';
import { poolId } from '../test/test-ids.ts';
import type { PackedBlocks } from './history-portal.ts';
import { median, spread } from './measure.ts';
import type { Row } from './row.ts';

const RPC_LATENCY_MS = 100;
const RPC_CALLS_PER_SECOND = 50;
const BLOCKS_PER_PART = 100;
const REPETITIONS = 3;
const PROOFS = 20;

const POOL: PoolDescription = {
  ...{ pool: poolId(PAIR), token0: TOKEN, token1: WETH, venue: 'uniswap-v2', feePips: 3000 },
  ...{ vault: PAIR, kind: 'constantProduct', terms: null },
};

interface Reading {
  readonly blocksPerSecond: number;
  readonly callsPerBlock: number;
  /** Of a block, of this process: those of the Portal's thread are few. */
  readonly cpuMs: number;
}

/** A block has three transactions: a swap, and transfers. */
function recordBlocks(blocks: number): ProvedChain {
  const chain = recordChain();
  for (let n = chain.head + 1; n <= blocks; n += 1) {
    chain.add([
      { from: TRADER, logs: [transfer(n), transfer(n + 1), ...buildSwapLogs(PAIR, n)] },
      { from: TRADER, logs: [transfer(n + 2)] },
      { from: TRADER, logs: [transfer(n + 3)] },
    ]);
  }
  return proveChain(chain);
}

function packBlocks({ lines }: ProvedChain): PackedBlocks {
  const texts = lines.map((line) => `${JSON.stringify(line)}\n`);
  const parts: Uint8Array[] = [];
  for (let at = 0; at < texts.length; at += BLOCKS_PER_PART) {
    parts.push(gzipSync(texts.slice(at, at + BLOCKS_PER_PART).join('')));
  }
  return { parts, blocksPerPart: BLOCKS_PER_PART };
}

async function startPortal(workerData: PackedBlocks) {
  const worker = new Worker(new URL('history-portal.ts', import.meta.url), { workerData });
  const [port] = await once(worker, 'message');
  return {
    url: `http://127.0.0.1:${port}/datasets/bench-mainnet`,
    /** How many requests arrived. */
    async stop(): Promise<number> {
      const told = once(worker, 'message');
      worker.postMessage('stop');
      return (await told)[0];
    },
  };
}

async function measureReading(
  { chain, packed }: { readonly chain: ProvedChain; readonly packed: PackedBlocks },
  by: 'rpc' | 'portal',
  range: { readonly fromBlock: number; readonly toBlock: number },
): Promise<Reading> {
  let arrived = Promise.resolve();
  const node = await startMisbehavingRpc(async (method, params) => {
    await arrived;
    return chain.answer(method, params);
  });
  const callsPerSecond = RPC_CALLS_PER_SECOND;
  const isLimited = limitRate({ clock: systemClock, callsPerSecond, over: 'status' });
  node.misbehave((call) => {
    arrived = sleep(RPC_LATENCY_MS);
    return isLimited(call);
  });
  const portal = await startPortal(packed);
  const places = by === 'portal' ? [{ kind: 'portal', place: portal.url } as const] : [];
  const adapter = createEvmAdapter({
    ...{ chain: 'devnet', endpoints: [node.url], deployment: SCENE_DEPLOYMENT },
    ...{ clock: systemClock, random: Math.random, knownPools: async () => [POOL] },
    archives: { places, samplePct: 2 },
  });
  try {
    const before = process.cpuUsage();
    const startedMs = performance.now();
    let archived = 0;
    for (let { fromBlock } = range; fromBlock <= range.toBlock; ) {
      const limits = { blockCountMax: 5000, eventCountMax: 16_000 };
      const reading = await adapter.readBlocks({ ...range, ...limits, fromBlock, linked: false });
      if (reading.archive !== undefined) archived += reading.blockCount;
      fromBlock = reading.toBlock + 1;
    }
    const seconds = (performance.now() - startedMs) / 1000;
    const { user, system } = process.cpuUsage(before);
    const blocks = range.toBlock - range.fromBlock + 1;
    assert.equal(archived, by === 'portal' ? blocks : 0);
    const calls = node.calls.length + (await portal.stop());
    const cpuMs = (user + system) / 1000 / blocks;
    return { blocksPerSecond: blocks / seconds, callsPerBlock: calls / blocks, cpuMs };
  } finally {
    await adapter.close();
    await node.stop();
  }
}

/** CPU of proving a block of 200 receipts with 1,000 logs. */
function measureProof(): number[] {
  const chain = new MemoryChain({ chainId: 1337, blockTimestamps: true });
  const logs = [1, 2, 3, 4, 5].map(transfer);
  chain.add(Array.from({ length: 200 }, () => ({ from: TRADER, logs })));
  const block = parsePortalBlock(proveChain(chain).lines[1]);
  if (block.receipts.length !== 200) throw new Error('not 200 receipts');
  return Array.from({ length: PROOFS }, () => {
    const before = process.cpuUsage();
    if (proveBlock(block).kind !== 'proved') throw new Error('the block is not proved');
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  }).slice(PROOFS / 4);
}

export async function benchHistory({ quick }: { readonly quick: boolean }): Promise<Row[]> {
  const blocks = quick ? 2000 : 8000;
  // RPC takes as long for a hundredth of them.
  const byRpc = { fromBlock: 1000, toBlock: quick ? 1199 : 1599 };
  const chain = recordBlocks(blocks);
  const recorded = { chain, packed: packBlocks(chain) };
  const readings: { rpc: Reading; portal: Reading }[] = [];
  for (let turn = 0; turn < REPETITIONS; turn += 1) {
    readings.push({
      rpc: await measureReading(recorded, 'rpc', byRpc),
      portal: await measureReading(recorded, 'portal', { fromBlock: 0, toBlock: blocks - 1 }),
    });
  }
  const rate = ({ blocksPerSecond, cpuMs }: Reading) =>
    `${blocksPerSecond.toFixed(0)} blocks/s at ${cpuMs.toFixed(2)} ms of CPU a block`;
  const calls = ({ callsPerBlock }: Reading) => `${callsPerBlock.toFixed(3)} calls a block`;
  const faster = readings.map(({ rpc, portal }) => portal.blocksPerSecond / rpc.blocksPerSecond);
  const fewer = readings.map(({ rpc, portal }) => rpc.callsPerBlock / portal.callsPerBlock);
  const [last] = readings.slice(-1);
  if (last === undefined) throw new Error('nothing was measured');
  const proofs = measureProof();
  const note = 'blocks of three transactions with six logs, one of them a swap';
  return [
    {
      ...{ goal: 'historyRate', ours: rate(last.portal), peer: `RPC, ${rate(last.rpc)}`, note },
      ...{ ratio: median(faster), spread: spread(faster) },
    },
    {
      ...{ goal: 'historyCalls', ours: calls(last.portal), peer: `RPC, ${calls(last.rpc)}`, note },
      ...{ ratio: median(fewer), spread: spread(fewer) },
    },
    {
      goal: 'historyProof',
      ours: `${median(proofs).toFixed(1)} ms of CPU`,
      peer: '15 ms',
      ...{ ratio: 15 / median(proofs), spread: spread(proofs) },
      note: nativeKeccak === null ? 'this build of Node has no Keccak of its own' : '',
    },
  ];
}
