// A cache of answers as bytes, valid until their data changes.
//
// A commit that changes a token evicts that token's answers. Answers that depend on the chain's
// time or its finality are valid for a span of those, and are rebuilt after it. `asOf` is not
// cached: it is inserted when an answer is sent.

import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { OpenText } from '../contract/create-serializer.ts';
import type { ReadyAnswer } from '../contract/handler.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { Address } from '../model/ids.ts';
import type { Checkpoint } from '../model/market-record.ts';
import { serializeAsOf } from './read-at.ts';
import type { ChainStates, StateChange } from './state/chain-states.ts';

/** The chain states for which a cached answer is valid, as long as its rows do not change. */
export interface Validity {
  /** Chain time: from this time, up to but not including the next. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Valid while the finalized block is below this one. */
  readonly finalizedBelow: number;
}

export const ALWAYS: Validity = {
  fromMs: Number.NEGATIVE_INFINITY,
  toMs: Number.POSITIVE_INFINITY,
  finalizedBelow: Number.POSITIVE_INFINITY,
};

/** An answer without its `asOf`. */
export interface MadeAnswer {
  readonly text: OpenText;
  readonly validity: Validity;
  /** The commit that it reflects. */
  readonly checkpoint: Checkpoint;
}

interface CachedAnswer {
  readonly key: string;
  readonly tokenKey: string;
  readonly bytes: Buffer;
  readonly etag: string;
  readonly validity: Validity;
  readonly checkpoint: Checkpoint;
  /** The whole answer as it was last sent, for the state it was sent at. */
  sent: { readonly at: Checkpoint; readonly answer: ReadyAnswer } | null;
}

interface PendingAnswer {
  readonly tokenKey: string;
  readonly promise: Promise<ReadyAnswer>;
  /** The newest commit since then that changed the token. */
  changedAt: number;
}

interface AnswerKey {
  readonly chain: ChainSlug;
  readonly tokenKey: string;
  readonly name: string;
}

/** `query` is the operation with its parameters in canonical form. */
export function toAnswerKey(
  reference: { readonly chain: ChainSlug; readonly token: Address },
  query: string,
): AnswerKey {
  const tokenKey = `${reference.chain} ${reference.token}`;
  return { chain: reference.chain, tokenKey, name: `${tokenKey} ${query}` };
}

/** The approximate size of an entry besides its bytes. */
const ENTRY_OVERHEAD_BYTES = 600;

function isValidAt(validity: Validity, checkpoint: Checkpoint): boolean {
  return (
    checkpoint.timestampMs >= validity.fromMs &&
    checkpoint.timestampMs < validity.toMs &&
    checkpoint.finalizedBlock < validity.finalizedBelow
  );
}

export function computeEtag(text: string | Buffer): string {
  return `W/"${hash('sha1', text, 'base64url')}"`;
}

export class AnswerCache {
  readonly #states: ChainStates;
  readonly #entries: LRUCache<string, CachedAnswer>;
  readonly #byToken = new Map<string, Set<string>>();
  readonly #pending = new Map<string, PendingAnswer>();
  #hits = 0;
  #misses = 0;

  constructor(options: { readonly states: ChainStates; readonly bytesMax: number }) {
    this.#states = options.states;
    this.#entries = new LRUCache({
      // Zero must cache nothing, but lru-cache treats it as unlimited.
      maxSize: Math.max(1, options.bytesMax),
      sizeCalculation: computeSize,
      dispose: (entry) => this.#forgetKey(entry),
    });
    options.states.subscribe((change) => this.#forgetChanged(change));
  }

  get statistics() {
    const { size, calculatedSize } = this.#entries;
    return { bytes: calculatedSize, entries: size, hits: this.#hits, misses: this.#misses };
  }

  /** The cached answer, or a new one; concurrent callers share one build. */
  answer(key: AnswerKey, make: () => Promise<MadeAnswer>): ReadyAnswer | Promise<ReadyAnswer> {
    const { name } = key;
    const entry = this.#entries.get(name);
    if (entry !== undefined) {
      const at = this.#pickState(key.chain, entry.checkpoint);
      if (isValidAt(entry.validity, at)) {
        this.#hits += 1;
        return this.#send(entry, at);
      }
      this.#entries.delete(name);
    }
    this.#misses += 1;
    const pending = this.#pending.get(name);
    if (pending !== undefined && pending.changedAt === 0) return pending.promise;
    return this.#make(key, make);
  }

  /** Drops every answer, including those being built, because their data has changed. */
  clear(): void {
    this.#entries.clear();
    this.#pending.clear();
  }

  #make(key: AnswerKey, make: () => Promise<MadeAnswer>): Promise<ReadyAnswer> {
    const { name, tokenKey } = key;
    const promise = make().then((made) => {
      const entry: CachedAnswer = {
        key: name,
        tokenKey,
        bytes: Buffer.from(made.text),
        etag: computeEtag(made.text),
        validity: made.validity,
        checkpoint: made.checkpoint,
        sent: null,
      };
      const at = this.#pickState(key.chain, made.checkpoint, pending.changedAt);
      // First, because an answer that cannot be sent must not be cached.
      const answer = this.#send(entry, isValidAt(entry.validity, at) ? at : made.checkpoint);
      const isForgotten = this.#pending.get(name) !== pending;
      if (!isForgotten && pending.changedAt <= made.checkpoint.version) this.#keep(entry);
      return answer;
    });
    const pending: PendingAnswer = { tokenKey, promise, changedAt: 0 };
    this.#pending.set(name, pending);
    const done = () => {
      if (this.#pending.get(name) === pending) this.#pending.delete(name);
    };
    promise.then(done, done);
    return promise;
  }

  /**
   * The state for `asOf`: the one that the answer was read at, or a later one up to which nothing
   * changed for its token.
   */
  #pickState(chain: ChainSlug, readAt: Checkpoint, changedAt = 0): Checkpoint {
    const current = this.#states.current(chain);
    if (current === null || current.version <= readAt.version) return readAt;
    return changedAt > readAt.version ? readAt : current;
  }

  #send(entry: CachedAnswer, at: Checkpoint): ReadyAnswer {
    if (entry.sent?.at === at) return entry.sent.answer;
    const end = Buffer.from(`,"asOf":${serializeAsOf(at)}}`);
    const bytes = Buffer.concat([entry.bytes, end]);
    const parts = { long: entry.bytes, end };
    const answer: ReadyAnswer = { kind: 'ready', bytes, parts, etag: entry.etag };
    entry.sent = { at, answer };
    return answer;
  }

  #keep(entry: CachedAnswer): void {
    this.#entries.set(entry.key, entry);
    // An answer larger than the whole cache is not cached.
    if (!this.#entries.has(entry.key)) return;
    const keys = this.#byToken.get(entry.tokenKey) ?? new Set();
    this.#byToken.set(entry.tokenKey, keys.add(entry.key));
  }

  #forgetKey(entry: CachedAnswer): void {
    const keys = this.#byToken.get(entry.tokenKey);
    keys?.delete(entry.key);
    if (keys?.size === 0) this.#byToken.delete(entry.tokenKey);
  }

  #forgetChanged({ chain, checkpoint, tokens }: StateChange): void {
    const isOfChain = (tokenKey: string) => tokenKey.startsWith(`${chain} `);
    const changed = new Set(
      tokens === 'all'
        ? [...this.#byToken.keys()].filter(isOfChain)
        : tokens.map((token) => `${chain} ${token}`),
    );
    const isChanged = tokens === 'all' ? isOfChain : (key: string) => changed.has(key);
    for (const pending of this.#pending.values()) {
      if (isChanged(pending.tokenKey)) pending.changedAt = checkpoint.version;
    }
    for (const tokenKey of changed) {
      for (const key of this.#byToken.get(tokenKey) ?? []) {
        const version = this.#entries.peek(key)?.checkpoint.version;
        if (version !== undefined && version < checkpoint.version) this.#entries.delete(key);
      }
    }
  }
}

/** Smaller answers are not compressed. */
const COMPRESSED_BYTES_MIN = 1024;

/** Twice, since the whole answer as it was sent is kept, too, and half for compressed forms. */
function computeSize({ bytes: { length } }: CachedAnswer): number {
  const compressed = length < COMPRESSED_BYTES_MIN ? 0 : Math.ceil(length / 2);
  return 2 * length + compressed + ENTRY_OVERHEAD_BYTES;
}
