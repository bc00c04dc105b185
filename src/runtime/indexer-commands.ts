// Commands to the indexer of a chain, in this process or in the one that indexes it.
//
// Between processes they may be lost: clients ask again, and a lookup without an outcome fails.

import { BoundedMap } from '../lib/bounded-map.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { Address } from '../model/ids.ts';
import type { LookupOutcome } from '../model/lookup-outcome.ts';
import type { SignalStore } from '../store/feed-store.ts';
import type { IndexerCommand } from './indexer-message.ts';

type ChainCommand = Exclude<IndexerCommand, { readonly type: 'stop' }>;
type LookUpCommand = Extract<ChainCommand, { readonly type: 'lookUp' }>;

interface LookedUp {
  readonly chain: ChainSlug;
  readonly token: Address;
  readonly outcome: LookupOutcome;
}

type NodeMessage =
  | { readonly type: 'command'; readonly from: string; readonly command: ChainCommand }
  | ({ readonly type: 'lookedUp'; readonly to: string } & LookedUp);

interface IndexerCommandsOptions {
  /** Null if there are no other processes. */
  readonly signals: SignalStore | null;
  readonly node: string;
  /** Whether this process indexes the chain. */
  readonly isIndexing: (chain: ChainSlug) => boolean;
  /** To this process's own indexer; false if there is none. */
  readonly post: (command: ChainCommand) => boolean;
  /** Another process asks for a lookup, which ends with `settle`. */
  readonly onLookUp: (command: LookUpCommand) => void;
  readonly onLookedUp: (outcome: LookedUp) => void;
  readonly onError: (error: unknown) => void;
}

const CHANNEL = 'mintwire_nodes';
/** A notification has at most 8,000 bytes. */
const POOLS_MAX = 50;
/**
 * A lookup may wait in the other process for its turn. It is passed on again while it has no
 * outcome, in case the message or that process was lost; after the last time it has failed.
 */
const LOOKUP_REPEAT_MS = 30_000;
const LOOKUP_TIMES_MAX = 10;
/** Lookups for others that are remembered. */
const ASKED_MAX = 1000;

export class IndexerCommands {
  readonly #options: IndexerCommandsOptions;
  /** Who asked for the lookups that run here; the oldest first. */
  readonly #askedBy = new BoundedMap<string, Set<string>>(ASKED_MAX);
  /** Lookups that run in another process. */
  readonly #elsewhere = new Map<string, NodeJS.Timeout>();
  readonly #endListening: (() => Promise<void>) | null;

  constructor(options: IndexerCommandsOptions) {
    this.#options = options;
    this.#endListening = options.signals?.listen(CHANNEL, (text) => this.#onMessage(text)) ?? null;
  }

  /** False if nobody can do it now. */
  send(command: ChainCommand): boolean {
    const { signals, isIndexing, post } = this.#options;
    if (signals === null || isIndexing(command.chain)) return post(command);
    if (command.type === 'lookUp') this.#expect(command, LOOKUP_TIMES_MAX);
    this.#passOn(command);
    return true;
  }

  #passOn(command: ChainCommand): void {
    for (const part of split(command))
      this.#tell({ type: 'command', from: this.#node, command: part });
  }

  /** A lookup in this process has ended, or will not begin. */
  settle(looked: LookedUp): void {
    const { chain, token } = looked;
    const key = `${chain} ${token}`;
    for (const to of this.#askedBy.get(key) ?? []) this.#tell({ type: 'lookedUp', to, ...looked });
    this.#askedBy.delete(key);
  }

  async stop(): Promise<void> {
    for (const timer of this.#elsewhere.values()) clearTimeout(timer);
    await this.#endListening?.();
  }

  get #node(): string {
    return this.#options.node;
  }

  #expect(command: LookUpCommand, timesLeft: number): void {
    const key = `${command.chain} ${command.token}`;
    const timer = setTimeout(() => this.#askAgain(command, timesLeft - 1), LOOKUP_REPEAT_MS);
    timer.unref();
    clearTimeout(this.#elsewhere.get(key));
    this.#elsewhere.set(key, timer);
  }

  #askAgain(command: LookUpCommand, timesLeft: number): void {
    const { chain, token } = command;
    const { isIndexing, post, onLookedUp } = this.#options;
    this.#elsewhere.delete(`${chain} ${token}`);
    // Meanwhile this process may have become the one that indexes.
    if (timesLeft > 0 && isIndexing(chain) && post(command)) return;
    if (timesLeft === 0 || isIndexing(chain)) {
      onLookedUp({ chain, token, outcome: 'failed' });
      return;
    }
    this.#expect(command, timesLeft);
    this.#passOn(command);
  }

  /** Whoever may use the database may have sent it, also a newer version of this. */
  #onMessage(text: string): void {
    try {
      const message = JSON.parse(text) as NodeMessage;
      if (message.type === 'command') this.#obey(message);
      else if (message.type === 'lookedUp' && message.to === this.#node) this.#noteOutcome(message);
    } catch (error) {
      this.#options.onError(error);
    }
  }

  #obey({ from, command }: Extract<NodeMessage, { type: 'command' }>): void {
    if (from === this.#node || !isKnown(command)) return;
    if (!this.#options.isIndexing(command.chain)) return;
    if (command.type !== 'lookUp') {
      this.#options.post(command);
      return;
    }
    this.#noteAsked(`${command.chain} ${command.token}`, from);
    // The version before named no caller.
    this.#options.onLookUp({
      ...command,
      caller: command.caller === undefined ? from : command.caller,
    });
  }

  #noteAsked(key: string, from: string): void {
    const askers = this.#askedBy.get(key) ?? new Set();
    this.#askedBy.set(key, askers.add(from));
  }

  #noteOutcome({ chain, token, outcome }: LookedUp): void {
    const key = `${chain} ${token}`;
    clearTimeout(this.#elsewhere.get(key));
    this.#elsewhere.delete(key);
    this.#options.onLookedUp({ chain, token, outcome });
  }

  #tell(message: NodeMessage): void {
    const { signals, onError } = this.#options;
    signals?.send(CHANNEL, JSON.stringify(message)).catch(onError);
  }
}

/** Another one, such as `stop`, is none of their business. */
function isKnown(command: ChainCommand): boolean {
  if (command.type === 'adopt') return Array.isArray(command.pools);
  const isOfToken = command.type === 'backfill' || command.type === 'lookUp';
  return isOfToken && typeof command.token === 'string';
}

function* split(command: ChainCommand): Generator<ChainCommand> {
  if (command.type !== 'adopt') yield command;
  else {
    for (let at = 0; at < command.pools.length; at += POOLS_MAX) {
      yield { ...command, pools: command.pools.slice(at, at + POOLS_MAX) };
    }
  }
}
