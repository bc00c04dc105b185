// Reads the head of the chain in one call, or in none if a node announces its blocks. One endpoint
// alone cannot move it back.

import type { Clock } from '../../../lib/clock.ts';
import type { BlockHeader } from '../../../model/block-header.ts';
import type { ChainHead } from '../../adapter.ts';
import type { RpcClient } from '../../rpc/rpc-client.ts';
import type { RpcCall } from '../../rpc/rpc-dialect.ts';
import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts';
import { isRpcError, RpcError } from '../../rpc/rpc-error.ts';
import { type EvmBlock, parseBlock } from '../data/parse-block.ts';
import type { HeadSubscription } from './head-subscription.ts';

interface HeadReaderOptions {
  readonly client: RpcClient;
  /**
   * The depth below the head at which blocks count as final if the node has no `finalized` block.
   */
  readonly finalityDepth: number;
  /** How old the final block may become before it is read again. */
  readonly finalizedAgeMs: number;
  /** Announces blocks; null if no such endpoint is configured. */
  readonly subscription: HeadSubscription | null;
  /** Whether the reader of blocks will want the senders of the head's transactions. */
  readonly wantsSenders: (endpoint: RpcEndpoint) => boolean;
  readonly clock: Clock;
}

/** The preferred endpoint may lag without going back, so all are compared at this interval. */
const COMPARE_MS = 30_000;
/** While blocks are announced, the head is read at this interval, in case they stop silently. */
const CONFIRM_MS = 30_000;

/** A final block; without a hash if it follows from the depth alone. */
interface Final {
  readonly position: number;
  readonly hash: string | undefined;
  readonly readAtMs: number;
}

interface Reading {
  readonly endpoint: RpcEndpoint;
  readonly latest: EvmBlock;
  readonly final: Pick<Final, 'position' | 'hash'>;
}

/** How far an announced block may be above the last head. */
const ANNOUNCED_AHEAD_MAX = 64;

export class HeadReader {
  readonly #options: HeadReaderOptions;
  readonly #finals = new Map<RpcEndpoint, Final>();
  /** The newest block of each endpoint, with what else is known of it. */
  readonly #blocks = new Map<RpcEndpoint, EvmBlock>();
  #last: ChainHead | null = null;
  #comparedAtMs = Number.NEGATIVE_INFINITY;
  #confirmedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: HeadReaderOptions) {
    this.#options = options;
  }

  async read(signal?: AbortSignal): Promise<ChainHead> {
    const announced = await this.#readAnnounced(signal);
    if (announced !== null) return announced;
    const { client, subscription } = this.#options;
    let reading = await client.at((endpoint) => this.#readAt(endpoint, signal), { signal });
    const { position } = reading.latest.header;
    if (position < (this.#last?.latest.position ?? -1) || this.#isCompareDue()) {
      // Behind the known head: lagging, or really shorter. The endpoint furthest ahead is right,
      // unless it reports blocks as final that no other endpoint has.
      const all = await client.atEach((endpoint) => this.#readAt(endpoint, signal), signal);
      for (const { endpoint, value } of all) {
        if (value.final.position > this.#highestOfOthers(endpoint)) continue;
        if (value.latest.header.position > reading.latest.header.position) reading = value;
      }
    }
    this.#confirmedAtMs = this.#options.clock.monotonicMs();
    const { latest } = reading;
    subscription?.expect(latest.header);
    const limit = this.#highestOfOthers(reading.endpoint);
    const { final } = reading;
    const believed = final.position <= limit ? final : { position: limit, hash: undefined };
    return this.#keep(latest.header, believed);
  }

  /** Whether an announced block is newer than the last head. */
  isNews({ header }: EvmBlock): boolean {
    const latest = this.#last?.latest;
    if (latest === undefined || header.position > latest.position) return true;
    return header.position === latest.position && header.hash !== latest.hash;
  }

  /** What is already known of a block, so that it need not be read again. */
  findBlock(endpoint: RpcEndpoint, position: number): EvmBlock | null {
    const own = this.#blocks.get(endpoint);
    if (own?.header.position === position) return own;
    return this.#options.subscription?.find(position) ?? null;
  }

  /** Forgets a block that turned out to be of another branch. */
  forgetBlock(endpoint: RpcEndpoint): void {
    this.#blocks.delete(endpoint);
    this.#options.subscription?.forget();
  }

  /** The announced head, or the last one if there is no newer; null if the nodes must be asked. */
  async #readAnnounced(signal?: AbortSignal): Promise<ChainHead | null> {
    const { subscription, client } = this.#options;
    const block = subscription?.latest ?? null;
    const last = this.#last;
    if (block === null || last === null || this.#isConfirmDue()) return null;
    const { header } = block;
    if (header.hash === last.latest.hash) return last;
    // Neither a shorter chain nor another block of the same height, nor a jump, is taken from one
    // source alone.
    const ahead = header.position - last.latest.position;
    if (ahead <= 0 || ahead > ANNOUNCED_AHEAD_MAX) return null;
    for (const endpoint of client.endpoints) {
      if (subscription?.isSameHost(endpoint.name)) endpoint.health.observeHead(header.position);
    }
    const final = await client.at((endpoint) => this.#readFinal(endpoint, header, signal), {
      signal,
    });
    return this.#keep(header, final);
  }

  #keep(latest: BlockHeader, final: Pick<Final, 'position' | 'hash'>): ChainHead {
    const last = this.#last;
    const isNewer = last === null || final.position > last.finalizedBlock;
    const finalizedBlock = isNewer ? final.position : last.finalizedBlock;
    const finalizedHash = isNewer ? final.hash : last.finalizedHash;
    if (latest.position < finalizedBlock) {
      const behind = `head ${latest.position} is below the final block ${finalizedBlock}`;
      throw new RpcError('unavailable', `every endpoint lags: ${behind}`);
    }
    this.#last = { latest, finalizedBlock, finalizedHash };
    return this.#last;
  }

  /**
   * The highest block that any other endpoint is known to have. No limit with fewer than two
   * others: of two endpoints that differ, either may lag.
   */
  #highestOfOthers(endpoint: RpcEndpoint): number {
    const heads = this.#options.client.endpoints
      .filter((other) => other !== endpoint && !other.health.isRefused)
      .flatMap(({ health }) => (health.head === null ? [] : [health.head]));
    return heads.length < 2 ? Number.POSITIVE_INFINITY : Math.max(...heads);
  }

  #isCompareDue(): boolean {
    const nowMs = this.#options.clock.monotonicMs();
    const several = this.#options.client.endpoints.length > 1;
    if (!several || nowMs - this.#comparedAtMs < COMPARE_MS) return false;
    this.#comparedAtMs = nowMs;
    return true;
  }

  #isConfirmDue(): boolean {
    return this.#options.clock.monotonicMs() - this.#confirmedAtMs >= CONFIRM_MS;
  }

  async #readAt(endpoint: RpcEndpoint, signal?: AbortSignal): Promise<Reading> {
    const isFull = this.#options.wantsSenders(endpoint);
    const calls: RpcCall[] = [{ method: 'eth_getBlockByNumber', params: ['latest', isFull] }];
    const isFinalDue = this.#isFinalDue(endpoint);
    if (isFinalDue) calls.push({ method: 'eth_getBlockByNumber', params: ['finalized', false] });
    const [latestOutcome, finalOutcome] = await endpoint.batch(calls, { signal });
    const latest = parseBlock(endpoint.unwrap(latestOutcome), endpoint.name);
    if (latest === null) {
      throw new RpcError('invalidReply', `${endpoint.name}: has no latest block`);
    }
    endpoint.health.observeHead(latest.header.position);
    this.#blocks.set(endpoint, latest);
    if (isFinalDue) this.#keepFinal(endpoint, latest.header, finalOutcome);
    return { endpoint, latest, final: this.#findFinal(endpoint, latest.header) };
  }

  async #readFinal(endpoint: RpcEndpoint, latest: BlockHeader, signal?: AbortSignal) {
    if (this.#isFinalDue(endpoint)) {
      const call: RpcCall = { method: 'eth_getBlockByNumber', params: ['finalized', false] };
      const [outcome] = await endpoint.batch([call], { signal });
      this.#keepFinal(endpoint, latest, outcome);
    }
    return this.#findFinal(endpoint, latest);
  }

  #isFinalDue(endpoint: RpcEndpoint): boolean {
    const { clock, finalizedAgeMs } = this.#options;
    const readAtMs = this.#finals.get(endpoint)?.readAtMs ?? Number.NEGATIVE_INFINITY;
    return clock.monotonicMs() - readAtMs >= finalizedAgeMs;
  }

  #keepFinal(
    endpoint: RpcEndpoint,
    latest: BlockHeader,
    outcome: Awaited<ReturnType<RpcEndpoint['batch']>>[number] | undefined,
  ): void {
    if (outcome?.ok === false && isRpcError(outcome.error, 'denied')) throw outcome.error;
    // Not every node supports the tag, and a young chain has no such block yet.
    const block = outcome?.ok === true ? parseBlock(outcome.result, endpoint.name) : null;
    const readAtMs = this.#options.clock.monotonicMs();
    const told = block !== null && block.header.position <= latest.position ? block.header : null;
    this.#finals.set(endpoint, {
      position: told?.position ?? this.#assumeFinal(latest).position,
      hash: told?.hash,
      readAtMs,
    });
  }

  /** By the depth alone. */
  #assumeFinal({ position }: BlockHeader): Reading['final'] {
    return { position: Math.max(0, position - this.#options.finalityDepth), hash: undefined };
  }

  /** A final block above the head is not believed: a backend lags, or says what is not so. */
  #findFinal(endpoint: RpcEndpoint, latest: BlockHeader): Reading['final'] {
    const final = this.#finals.get(endpoint);
    if (final !== undefined && final.position <= latest.position) return final;
    return this.#assumeFinal(latest);
  }
}
