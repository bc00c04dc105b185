// Measures each endpoint of Solana, in about fifty calls: how fast whole blocks come and how large
// they are, how far back there are any, batches, and scans of accounts.

import type { EndpointReport, SolanaMeasurement } from '../../endpoint-measurement.ts';
import type { ChainSource, NodeParts } from '../../family.ts';
import type { EndpointProbe } from '../../rpc/endpoint-probe.ts';
import { probeEndpoints } from '../../rpc/endpoint-probe.ts';
import type { RpcCall } from '../../rpc/rpc-dialect.ts';
import { isRpcError, RpcError } from '../../rpc/rpc-error.ts';
import type { RawTransaction } from '../data/raw-transaction.ts';
import { SYSTEM_PROGRAM } from '../data/solana-ids.ts';
import { parseBlockTransactions, parseSlotHeader } from '../rpc/parse-solana-block.ts';
import { addTime, listSlots } from '../rpc/slot-blocks.ts';
import { createSolanaDialect, parseSlot } from '../rpc/solana-dialect.ts';
import { CONFIRMED } from '../rpc/solana-node.ts';
import { TransactionVersions } from '../rpc/transaction-versions.ts';
import { VENUES_BY_PROGRAM } from '../venues/solana-venues.ts';
import { decodeTrades } from './decode-trades.ts';

/** Over so many slots the time between blocks is measured. */
const TIMED_SLOTS = 500;
/** Whole blocks that are asked for at once, as history is read. */
const BURST_BLOCKS = 8;
/** Nodes take any. */
const VERSION_MAX = 255;

function askBlock(slot: number, transactionDetails: 'full' | 'signatures' | 'none'): RpcCall {
  const config = {
    ...{ encoding: 'json', transactionDetails, rewards: false },
    ...{ maxSupportedTransactionVersion: VERSION_MAX, ...CONFIRMED },
  };
  return { method: 'getBlock', params: [slot, config] };
}

/** The trades of blocks, and those of the pool with the most. */
function countTrades(transactions: readonly RawTransaction[]) {
  const byPool = new Map<string, number>();
  let trades = 0;
  for (const raw of transactions) {
    try {
      for (const { pool } of decodeTrades(raw).trades) {
        trades += 1;
        byPool.set(pool, (byPool.get(pool) ?? 0) + 1);
      }
    } catch (error) {
      // Anyone can send odd data to a program.
      if (!(error instanceof RangeError)) throw error;
    }
  }
  return { trades, most: Math.max(0, ...byPool.values()) };
}

/** Whether accounts of a program are listed: those of a pool of nothing, so that there are none. */
function askScan(): RpcCall {
  const [program = SYSTEM_PROGRAM] = VENUES_BY_PROGRAM.keys();
  const filters = [{ memcmp: { offset: 8, bytes: SYSTEM_PROGRAM } }];
  const dataSlice = { offset: 0, length: 0 };
  const config = { ...CONFIRMED, encoding: 'base64', withContext: true, filters, dataSlice };
  return { method: 'getProgramAccounts', params: [program, config] };
}

async function readTimes(probe: EndpointProbe, slots: readonly number[]) {
  const readTime = async (slot = 0) => {
    const { result, bytes } = await probe.weigh(askBlock(slot, 'none'));
    const header = parseSlotHeader(result, { node: probe.endpoint, slot });
    const { timestampMs } = await addTime(probe.endpoint, header, probe.signal);
    return { timestampMs, bytes };
  };
  const [first, last] = [await readTime(slots[0]), await readTime(slots.at(-1))];
  const seconds = (last.timestampMs - first.timestampMs) / 1000;
  return { blockSeconds: seconds / Math.max(1, slots.length - 1), headerBytes: last.bytes };
}

async function readFirstSlot(probe: EndpointProbe): Promise<number | null> {
  try {
    return parseSlot(await probe.ask({ method: 'getFirstAvailableBlock', params: [] }));
  } catch (error) {
    probe.signal.throwIfAborted();
    if (isRpcError(error)) return null;
    throw error;
  }
}

async function measure(probe: EndpointProbe): Promise<SolanaMeasurement> {
  const { endpoint, meter, signal } = probe;
  await endpoint.assertChain(await probe.ask({ method: 'getGenesisHash', params: [] }));
  const head = parseSlot(await probe.ask({ method: 'getSlot', params: [CONFIRMED] }));
  if (head === null) throw new RpcError('invalidReply', 'it has no slot');
  const timed = { fromSlot: Math.max(0, head - TIMED_SLOTS), toSlot: head };
  const slots = await listSlots(endpoint, timed, signal);
  const [firstListed, lastListed] = [slots[0], slots.at(-1)];
  if (firstListed === undefined || lastListed === undefined) {
    throw new RpcError('invalidReply', `it has no block from ${timed.fromSlot} to ${head}`);
  }
  const { blockSeconds, headerBytes } = await readTimes(probe, slots);
  const signatures = await probe.weigh(askBlock(lastListed, 'signatures'));
  const full = await probe.weigh(askBlock(lastListed, 'full'));
  const newest = slots.slice(-BURST_BLOCKS);
  const { burst, results } = await probe.measureBurst(newest.map((slot) => askBlock(slot, 'full')));
  const versions = new TransactionVersions({ info: () => undefined, warn: () => undefined });
  const transactions = [full.result, ...results].flatMap((block) =>
    parseBlockTransactions(block, { node: endpoint, slot: lastListed, versions }),
  );
  const { trades, most } = countTrades(transactions.map(({ raw }) => raw));
  const blocks = results.length + 1;
  return {
    family: 'solana',
    ...{ name: endpoint.name, head, blockSeconds, burst },
    slotsPerBlock: (lastListed - firstListed + 1) / slots.length,
    firstSlot: await readFirstSlot(probe),
    abilities: {
      scans: await probe.answers(askScan()),
      gzip: full.bytes < full.unpacked,
    },
    blockBytes: { header: headerBytes, full: full.bytes, signatures: signatures.bytes },
    swapsPerBlock: trades / blocks,
    poolTransactionsPerBlock: most / blocks,
    batchCallsMax: await probe.measureBatch({ method: 'getSlot', params: [CONFIRMED] }),
    usage: meter.listUsage(),
  };
}

export function measureSolana(
  source: ChainSource,
  { clock, genesis }: NodeParts & { readonly genesis: string },
  signal: AbortSignal,
): Promise<EndpointReport[]> {
  const dialect = createSolanaDialect(genesis);
  return probeEndpoints(source, { clock, dialect }, { measure, signal });
}
