// Finds out whether an endpoint leaves logs out of a filtered reply.
//
// A header's bloom filter says nothing certain about some of a block's logs. It says which blocks
// may have logs that the reply lacks: of such a block all logs are read once in a while, and those
// can be checked against the header. So an endpoint that goes on leaving logs out is noticed, at a
// small part of the bytes that reading every block would take.
//
// A block is suspect only if its filter has an address or topic of which the reply has no log. An
// endpoint that returns some logs of a contract and omits others of the same block is not noticed:
// a bloom filter does not count, and testing every log that a contract might have emitted would
// make most blocks of a busy chain suspect.

import type { Clock } from '../../../lib/clock.ts';
import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts';
import { isRpcError, RpcError } from '../../rpc/rpc-error.ts';
import type { EvmLog } from '../data/evm-log.ts';
import type { EvmBlock } from '../data/parse-block.ts';
import { parseLogs } from '../data/parse-logs.ts';
import type { LogFilter } from './log-filters.ts';
import { bloomMayHave, computeBloomShare, parseBloom } from './logs-bloom.ts';
import { assertLogsFit } from './verify-blocks.ts';

/** How often a whole block is read, if its bloom filter is selective. */
const CHECK_MS = 20_000;
/** The same on a busy chain, whose filters are so full that every address seems to be in them. */
const CHECK_FULL_MS = 600_000;
/** With more of its bits set, a filter matches an absent address and topic one time in fifty. */
const FULL_SHARE = 0.52;

interface FilteredReply {
  readonly filters: readonly LogFilter[];
  readonly logs: readonly EvmLog[];
}

function matches({ address, topics }: LogFilter, log: EvmLog): boolean {
  if (!address.includes(log.address)) return false;
  return topics.every((any, at) => any === null || any.includes(log.topics[at] ?? ''));
}

/** Whether the block may have logs for the filter, of an address or word that the reply lacks. */
function mayLack(filter: LogFilter, bloom: Uint8Array, logs: readonly EvmLog[]): boolean {
  const mayHave = (items: readonly string[]) => items.some((item) => bloomMayHave(bloom, item));
  const [kinds, ...words] = filter.topics;
  const named = words.flatMap((any) => any ?? []);
  if (kinds === null || kinds === undefined || !mayHave(kinds) || !mayHave(filter.address)) {
    return false;
  }
  const told = new Set<string>(logs.flatMap((log) => [log.address, ...log.topics]));
  const items = named.length > 0 ? named : filter.address;
  return items.some((item) => !told.has(item) && bloomMayHave(bloom, item));
}

/** Of nodes that do not return all logs of a block. */
function isNoAnswer(error: unknown): boolean {
  return isRpcError(error) && !isRpcError(error, 'invalidReply', 'wrongChain', 'unavailable');
}

/** The newest block that may have logs which the reply lacks. */
function pickDoubtful(
  blocks: readonly EvmBlock[],
  { filters, logs }: FilteredReply,
  sinceMs: number,
): EvmBlock | null {
  const isDoubtful = (block: EvmBlock) => {
    if (block.logsBloom === null) return false;
    const bloom = parseBloom(block.logsBloom);
    if (computeBloomShare(bloom) > FULL_SHARE && sinceMs < CHECK_FULL_MS) return false;
    const own = logs.filter((log) => log.block === block.header.position);
    return filters.some((filter) => mayLack(filter, bloom, own));
  };
  return blocks.findLast(isDoubtful) ?? null;
}

export class LeftOutLogs {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #checkedAtMs = new WeakMap<RpcEndpoint, number>();

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  /** Throws if the endpoint has logs that it left out of its reply for these blocks. */
  async assertNone(
    endpoint: RpcEndpoint,
    blocks: readonly EvmBlock[],
    reply: FilteredReply & { readonly signal?: AbortSignal | undefined },
  ): Promise<void> {
    const nowMs = this.#clock.monotonicMs();
    const sinceMs = nowMs - (this.#checkedAtMs.get(endpoint) ?? Number.NEGATIVE_INFINITY);
    const block = sinceMs < CHECK_MS ? null : pickDoubtful(blocks, reply, sinceMs);
    if (block === null) return;
    const { position, hash } = block.header;
    const { name } = endpoint;
    let all: EvmLog[];
    try {
      const call = { method: 'eth_getLogs', params: [{ blockHash: hash }] };
      const at = { fromBlock: position, toBlock: position, endpoint: name };
      all = parseLogs(await endpoint.request(call, reply.signal), at);
    } catch (error) {
      if (!isNoAnswer(error)) throw error;
      this.#checkedAtMs.set(endpoint, nowMs);
      return;
    }
    assertLogsFit([block], all, { endpoint: name, allLogs: true });
    const told = new Set(
      reply.logs.flatMap((log) => (log.block === position ? [log.logIndex] : [])),
    );
    const isLacking = all.some(
      (log) => !told.has(log.logIndex) && reply.filters.some((filter) => matches(filter, log)),
    );
    // After a fault the endpoint's next reply is looked at again.
    if (!isLacking) {
      this.#checkedAtMs.set(endpoint, nowMs);
      return;
    }
    throw new RpcError('invalidReply', `${name}: left out logs of block ${position}`, {
      endpoint: name,
    });
  }
}
