// The head of the chain and what is final of it, as nodes say: never counted in slots. One endpoint
// alone cannot move the head back, nor make blocks final that no other endpoint has.

import type { Clock } from '../../../lib/clock.ts';
import type { Sleep } from '../../../lib/retry.ts';
import type { ChainHead } from '../../adapter.ts';
import type { RpcClient } from '../../rpc/rpc-client.ts';
import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts';
import { isRpcError, RpcError } from '../../rpc/rpc-error.ts';
import type { SlotHeader } from '../rpc/parse-solana-block.ts';
import { addTime, HEADER, listSlots, readExistingBlock } from '../rpc/slot-blocks.ts';
import { parseSlot } from '../rpc/solana-dialect.ts';
import { CONFIRMED, FINALIZED, refuseReply } from '../rpc/solana-node.ts';

interface SlotHeadReaderOptions {
  readonly client: RpcClient;
  readonly clock: Clock;
  readonly sleep: Sleep;
}

/** About two slots: with a cycle's calls in between the index is three behind at most. */
const POLL_MS = 800;

/** The preferred endpoint may lag without going back, so all are compared at this interval. */
const COMPARE_MS = 30_000;
/** A node names its newest slot a moment before it serves the block: one of these is served. */
const UNSERVED_SLOTS = 16;

/** Clusters finalize 32 slots behind what is confirmed: who claims less is not believed alone. */
const FINAL_DISTANCE_SLOTS = 24;

interface HeadReading extends ChainHead {
  readonly endpoint: RpcEndpoint;
}

export class SlotHeadReader {
  readonly #options: SlotHeadReaderOptions;
  #last: ChainHead | null = null;
  #comparedAtMs = Number.NEGATIVE_INFINITY;
  #readAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: SlotHeadReaderOptions) {
    this.#options = options;
  }

  /** Until the next blocks are due, counted from the last read. */
  async wait(intervalMs: number, signal: AbortSignal): Promise<void> {
    const { clock, sleep } = this.#options;
    const spentMs = clock.monotonicMs() - this.#readAtMs;
    await sleep(Math.max(0, Math.min(intervalMs, POLL_MS) - spentMs), signal);
  }

  async read(signal?: AbortSignal): Promise<ChainHead> {
    const { client, clock } = this.#options;
    this.#readAtMs = clock.monotonicMs();
    let reading = await client.at((endpoint) => this.#readAt(endpoint, signal), { signal });
    const { position } = reading.latest;
    if (position < (this.#last?.latest.position ?? -1) || this.#isCompareDue()) {
      const all = await client.atEach((endpoint) => this.#readAt(endpoint, signal), signal);
      for (const { endpoint, value } of all) {
        // An endpoint that calls blocks final that no other one has is not believed.
        if (value.finalizedBlock > this.#findHighestOfOthers(endpoint)) continue;
        if (value.latest.position > reading.latest.position) reading = value;
      }
    }
    const { latest } = reading;
    // Finality never goes back, whichever endpoint is asked.
    const finalizedBlock = Math.max(
      await this.#limitFinal(reading, signal),
      this.#last?.finalizedBlock ?? 0,
    );
    const known = [reading, this.#last].find((one) => one?.finalizedBlock === finalizedBlock);
    this.#last = { latest, finalizedBlock, finalizedHash: known?.finalizedHash };
    return this.#last;
  }

  /**
   * What an endpoint calls final, as far as the others do not contradict it. To believe one that
   * calls too much final would mean to refuse the next fork.
   */
  async #limitFinal(reading: HeadReading, signal?: AbortSignal): Promise<number> {
    const { client } = this.#options;
    const { endpoint, latest, finalizedBlock } = reading;
    const believed = Math.min(finalizedBlock, this.#findHighestOfOthers(endpoint));
    const isUsual = latest.position - finalizedBlock >= FINAL_DISTANCE_SLOTS;
    if (isUsual || client.endpoints.length === 1) return believed;
    const call = { method: 'getSlot', params: [FINALIZED] };
    const others = await client.atEach(
      async (other) => (other === endpoint ? null : parseSlot(await other.request(call, signal))),
      signal,
    );
    const told = others.flatMap(({ value }) => value ?? []);
    return told.length === 0 ? believed : Math.min(believed, Math.max(...told));
  }

  /** The highest block that another endpoint has; no limit if there is no other. */
  #findHighestOfOthers(endpoint: RpcEndpoint): number {
    const heads = this.#options.client.endpoints.flatMap((other) =>
      other === endpoint || other.health.head === null ? [] : [other.health.head],
    );
    return heads.length === 0 ? Number.POSITIVE_INFINITY : Math.max(...heads);
  }

  #isCompareDue(): boolean {
    const nowMs = this.#options.clock.monotonicMs();
    const isAlone = this.#options.client.endpoints.length === 1;
    if (isAlone || nowMs - this.#comparedAtMs < COMPARE_MS) return false;
    this.#comparedAtMs = nowMs;
    return true;
  }

  async #readAt(endpoint: RpcEndpoint, signal?: AbortSignal): Promise<HeadReading> {
    const outcomes = await endpoint.batch(
      [
        { method: 'getSlot', params: [CONFIRMED] },
        { method: 'getSlot', params: [{ commitment: 'finalized' }] },
      ],
      { signal },
    );
    const [confirmed, finalized] = outcomes.map((outcome) => parseSlot(endpoint.unwrap(outcome)));
    if (confirmed == null || finalized == null) return refuseReply(endpoint, 'a slot is missing');
    if (finalized > confirmed) {
      return refuseReply(endpoint, `slot ${finalized} is final, but only ${confirmed} confirmed`);
    }
    endpoint.health.observeHead(confirmed);
    const [header, final] = await Promise.all([
      this.#readNewest(endpoint, { confirmed, finalized }, signal),
      this.#readFinal(endpoint, finalized, signal),
    ]);
    const latest = await addTime(endpoint, header, signal);
    const isKnown = finalized <= latest.position;
    return {
      ...{ endpoint, latest, finalizedBlock: isKnown ? finalized : latest.position },
      finalizedHash: isKnown ? final?.header.hash : latest.hash,
    };
  }

  /** Beside the newest block, so that nobody has to ask for it afterwards; null if that fails. */
  async #readFinal(endpoint: RpcEndpoint, slot: number, signal?: AbortSignal) {
    try {
      return await readExistingBlock(endpoint, { slot, detail: HEADER }, signal);
    } catch (error) {
      if (isRpcError(error)) return null;
      throw error;
    }
  }

  /** The newest block that the node serves, from the confirmed slot down to the final one. */
  async #readNewest(
    endpoint: RpcEndpoint,
    slots: { readonly confirmed: number; readonly finalized: number },
    signal?: AbortSignal,
  ): Promise<SlotHeader> {
    const { confirmed, finalized } = slots;
    const read = (slot: number) => readExistingBlock(endpoint, { slot, detail: HEADER }, signal);
    const newest = await read(confirmed);
    if (newest !== null) return newest.header;
    const fromSlot = Math.max(finalized, confirmed - UNSERVED_SLOTS);
    const range = { fromSlot, toSlot: confirmed - 1 };
    const listed = fromSlot < confirmed ? await listSlots(endpoint, range, signal) : [];
    for (const slot of listed.reverse()) {
      const block = await read(slot);
      if (block !== null) return block.header;
    }
    const problem = `${endpoint.name}: does not serve block ${confirmed} yet`;
    throw new RpcError('lagging', problem, { endpoint: endpoint.name });
  }
}
