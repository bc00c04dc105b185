// Measures each endpoint of an EVM chain.

import type { EndpointReport, EvmAbilities, EvmMeasurement } from '../../endpoint-measurement.ts';
import type { ChainSource, NodeParts } from '../../family.ts';
import { type EndpointProbe, probeEndpoints } from '../../rpc/endpoint-probe.ts';
import type { RpcCall } from '../../rpc/rpc-dialect.ts';
import { isRpcError, RpcError } from '../../rpc/rpc-error.ts';
import type { EvmDeployment } from '../data/deployments/evm-deployment.ts';
import { toQuantity } from '../data/hex-data.ts';
import { parseBlock } from '../data/parse-block.ts';
import { createEvmDialect } from '../rpc/evm-dialect.ts';
import { SWAP_TOPICS } from '../venues/registry.ts';

// Measures what an endpoint can do, in at most about a hundred calls: limits, ranges, depth of
// state, methods, and how large its blocks are.

/** Over so many blocks the time between blocks is measured. */
const TIMED_BLOCKS = 100;
/** Over so many blocks swaps are counted. */
const SWAP_BLOCKS = 50;
const LOG_BLOCKS = [10_000, 5000, 2000, 1000, 500, 100, 10, 5, 1];
const STATE_DEPTHS = [64, 128, 1000, 10_000, 100_000];
const BURST = 25;

/** Code that returns 42. */
const RETURNS_42 = '0x602a60005260206000f3';
const SOMEONE = '0x00000000000000000000000000000000000a11ce';

class EndpointMeasuring {
  readonly #probe: EndpointProbe;
  readonly #deployment: EvmDeployment;

  constructor(probe: EndpointProbe, deployment: EvmDeployment) {
    this.#probe = probe;
    this.#deployment = deployment;
  }

  /** Throws `RpcError` if the endpoint does not serve the chain at all. */
  async measure(): Promise<EvmMeasurement> {
    const probe = this.#probe;
    const { endpoint, meter } = probe;
    const deployment = this.#deployment;
    await endpoint.assertChain(await probe.ask({ method: 'eth_chainId', params: [] }));
    const latest = await this.#readBlock('latest');
    const head = latest.header.position;
    const first = await this.#readBlock(toQuantity(Math.max(0, head - TIMED_BLOCKS)));
    const apart = Math.max(1, head - first.header.position);
    const blockSeconds = (latest.header.timestampMs - first.header.timestampMs) / 1000 / apart;
    const [anchor = deployment.wrapped] = deployment.anchorPools;
    const logs = await this.#measureLogRange(head, anchor.slice(0, 42));
    const sizes = await this.#measureBlock(Math.max(0, head - 2));
    const swapsPerBlock = await this.#measureSwaps(head, logs.blocks);
    const abilities = await this.#measureAbilities(latest.header.hash);
    const receipts = sizes.receipts === null ? 0 : sizes.receipts.bytes;
    const burst = new Array<RpcCall>(BURST).fill({ method: 'eth_blockNumber', params: [] });
    return {
      family: 'evm',
      ...{ name: endpoint.name, head, blockSeconds, logBlocksMax: logs.blocks },
      abilities: { ...abilities, receipts: sizes.receipts !== null, gzip: sizes.isCompressed },
      blockBytes: {
        header: sizes.header,
        full: sizes.full,
        logs: sizes.logs,
        receipts: sizes.receipts === null ? null : receipts,
        poolLogs: logs.bytesPerBlock,
      },
      swapsPerBlock,
      stateDepth: await this.#measureStateDepth(head),
      batchCallsMax: await probe.measureBatch({
        ...{ method: 'eth_getBalance', params: [SOMEONE, 'latest'] },
      }),
      burst: (await probe.measureBurst(burst)).burst,
      usage: meter.listUsage(),
    };
  }

  async #readBlock(tag: string) {
    const call: RpcCall = { method: 'eth_getBlockByNumber', params: [tag, false] };
    const block = parseBlock(await this.#probe.ask(call), this.#probe.endpoint.name);
    if (block === null) throw new RpcError('invalidReply', `it has no block ${tag}`);
    return block;
  }

  async #measureBlock(number: number) {
    const block = toQuantity(number);
    const header = await this.#probe.weigh({
      method: 'eth_getBlockByNumber',
      params: [block, false],
    });
    const full = await this.#probe.weigh({ method: 'eth_getBlockByNumber', params: [block, true] });
    const filter = { fromBlock: block, toBlock: block };
    const logs = await this.#probe.weigh({ method: 'eth_getLogs', params: [filter] });
    const call: RpcCall = { method: 'eth_getBlockReceipts', params: [block] };
    const receipts = await this.#probe.weigh(call).catch((error: unknown) => {
      if (isRpcError(error)) return null;
      throw error;
    });
    return {
      ...{ header: header.bytes, full: full.bytes, logs: logs.bytes },
      receipts: Array.isArray(receipts?.result) ? receipts : null,
      isCompressed: full.bytes < full.unpacked || logs.bytes < logs.unpacked,
    };
  }

  /** The longest range that is answered, with a filter that returns little. */
  async #measureLogRange(head: number, address: string) {
    let suggested = Number.POSITIVE_INFINITY;
    for (const blocks of LOG_BLOCKS) {
      const count = Math.min(blocks, suggested, head + 1);
      const fromBlock = toQuantity(head - count + 1);
      const filter = { fromBlock, toBlock: toQuantity(head), address };
      try {
        const { bytes } = await this.#probe.weigh({ method: 'eth_getLogs', params: [filter] });
        return { blocks: count, bytesPerBlock: bytes / count };
      } catch (error) {
        this.#probe.signal.throwIfAborted();
        if (!isRpcError(error)) throw error;
        suggested = Math.min(suggested, error.suggestedBlocks ?? count);
      }
    }
    return { blocks: 0, bytesPerBlock: 0 };
  }

  async #measureSwaps(head: number, logBlocksMax: number): Promise<number> {
    const count = Math.min(SWAP_BLOCKS, Math.max(1, logBlocksMax), head + 1);
    const range = { fromBlock: toQuantity(head - count + 1), toBlock: toQuantity(head) };
    const params = [{ ...range, topics: [[...SWAP_TOPICS.keys()]] }];
    const logs = await this.#probe
      .ask({ method: 'eth_getLogs', params })
      .catch((error: unknown) => {
        this.#probe.signal.throwIfAborted();
        if (isRpcError(error)) return null;
        throw error;
      });
    return Array.isArray(logs) ? logs.length / count : 0;
  }

  async #measureStateDepth(head: number): Promise<number | null> {
    let reached = 0;
    for (const depth of [...STATE_DEPTHS.filter((one) => one < head - 1), head - 1]) {
      const block = toQuantity(Math.max(0, head - depth));
      const params = [SOMEONE, block];
      if (!(await this.#probe.answers({ method: 'eth_getBalance', params }))) return reached;
      reached = depth;
    }
    return null;
  }

  async #measureAbilities(blockHash: string): Promise<Omit<EvmAbilities, 'receipts' | 'gzip'>> {
    const call = { from: SOMEONE, to: SOMEONE, data: '0x' };
    const isBytes = (result: unknown) => typeof result === 'string';
    const is42 = (result: unknown) => isBytes(result) && Number(result) === 42;
    const isSomething = (result: unknown) => result !== null && result !== undefined;
    const calls = { blockStateCalls: [{ calls: [call] }] };
    const changed = { [SOMEONE]: { code: RETURNS_42 } };
    const atHash = { blockHash, requireCanonical: true };
    const fees = ['0x2', 'latest', [50]];
    return {
      finalized: await this.#probe.answers(
        { method: 'eth_getBlockByNumber', params: ['finalized', false] },
        isSomething,
      ),
      hashes: await this.#probe.answers({ method: 'eth_call', params: [call, atHash] }, isBytes),
      overrides: await this.#probe.answers(
        { method: 'eth_call', params: [call, 'latest', changed] },
        is42,
      ),
      simulation: await this.#probe.answers({
        method: 'eth_simulateV1',
        params: [calls, 'latest'],
      }),
      feeHistory: await this.#probe.answers(
        { method: 'eth_feeHistory', params: fees },
        isSomething,
      ),
      debug: await this.#probe.answers({ method: 'debug_traceCall', params: [call, 'latest', {}] }),
      trace: await this.#probe.answers({
        method: 'trace_call',
        params: [call, ['trace'], 'latest'],
      }),
    };
  }
}

export function measureEndpoints(
  source: ChainSource,
  { clock, deployment }: NodeParts & { readonly deployment: EvmDeployment },
  signal: AbortSignal,
): Promise<EndpointReport[]> {
  const dialect = createEvmDialect(deployment.chainId);
  return probeEndpoints(
    source,
    { clock, dialect },
    { measure: (probe) => new EndpointMeasuring(probe, deployment).measure(), signal },
  );
}
