// Keeps what was made from commits until a later commit changes it: answers as bytes, texts that
// answers are put together from, lists, starts of streams.
//
// Nothing is evicted when a commit comes. Each entry knows the commit that it reflects, and is
// compared with the last change of what it depends on when it is asked for; one that is stale is
// replaced, or pushed out as the least recently used.

import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { OpenText } from '../contract/create-serializer.ts';
import type { ReadyAnswer } from '../contract/handler.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { Address } from '../model/ids.ts';
import type { Checkpoint } from '../model/market-record.ts';
import { serializeAsOf } from './read-at.ts';
import type { ChainCommits, ChainStates } from './state/chain-states.ts';

/** The chain states for which an entry is valid, as long as its rows do not change. */
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

/** Of what is not kept for later callers. */
export const NEVER: Validity = { ...ALWAYS, toMs: Number.NEGATIVE_INFINITY };

/** An entry changes with the commits of this token or, if it is null, with all of the chain. */
interface Subject {
  readonly chain: ChainSlug;
  readonly token: Address | null;
}

interface Basis {
  readonly commits: ChainCommits;
  readonly token: Address | null;
  /** The commit that the entry reflects. */
  readonly at: Checkpoint;
  /** The last commit at which it was found to hold: mostly it is asked for before the next. */
  heldAt: Checkpoint | null;
}

interface Kept<Value> {
  readonly value: Value;
  /** One for each chain. */
  readonly bases: readonly Basis[];
  readonly validity: Validity;
}

interface Pending {
  readonly promise: Promise<Kept<unknown>>;
  readonly bases: readonly Basis[];
}

/** An answer without its `asOf`. */
export interface MadeAnswer {
  readonly text: OpenText;
  readonly validity: Validity;
  /** The commit that it reflects. */
  readonly checkpoint: Checkpoint;
}

interface AnswerBytes {
  readonly bytes: Buffer;
  readonly etag: string;
  readonly checkpoint: Checkpoint;
  /** The whole answer as it was last sent, for the state it was sent at. */
  sent: { readonly at: Checkpoint; readonly answer: ReadyAnswer } | null;
}

interface AnswerKey extends Subject {
  readonly name: string;
}

/** `query` is the operation with its parameters in canonical form. */
export function toAnswerKey(
  { chain, token }: { readonly chain: ChainSlug; readonly token: Address },
  query: string,
): AnswerKey {
  return { chain, token, name: `${chain} ${token} ${query}` };
}

export function computeEtag(text: string | Buffer): string {
  return `W/"${hash('sha1', text, 'base64url')}"`;
}

function isPast({ commits, token, at }: Basis): boolean {
  return commits.findLastChange(token) > at.version;
}

/** The last commit that is known; the store may have been ahead of it. */
function pickLater(last: Checkpoint | null, at: Checkpoint): Checkpoint {
  return last !== null && last.version > at.version ? last : at;
}

function isValidAt(validity: Validity, at: Checkpoint): boolean {
  const { fromMs, toMs, finalizedBelow } = validity;
  return at.timestampMs >= fromMs && at.timestampMs < toMs && at.finalizedBlock < finalizedBelow;
}

function isHolding({ bases, validity }: Kept<unknown>): boolean {
  if (validity === NEVER) return false;
  for (const basis of bases) {
    const { last } = basis.commits;
    if (basis.heldAt === last && last !== null) continue;
    if (isPast(basis) || !isValidAt(validity, pickLater(last, basis.at))) return false;
    basis.heldAt = last;
  }
  return true;
}

/** How much is kept: so many entries, or so many bytes of answers about tokens. */
type CacheRoom = { readonly entriesMax: number } | { readonly bytesMax: number };

function createEntries(room: CacheRoom): LRUCache<string, Kept<unknown>> {
  if ('entriesMax' in room) return new LRUCache({ max: room.entriesMax });
  return new LRUCache({
    // Zero must cache nothing, but lru-cache treats it as unlimited.
    maxSize: Math.max(1, room.bytesMax),
    sizeCalculation: ({ value }) => computeSize(value as AnswerBytes),
  });
}

export class CommitCache {
  readonly #states: Pick<ChainStates, 'commits'>;
  readonly #entries: LRUCache<string, Kept<unknown>>;
  readonly #pending = new Map<string, Pending>();
  #hits = 0;
  #misses = 0;

  constructor(states: Pick<ChainStates, 'commits'>, room: CacheRoom) {
    this.#states = states;
    this.#entries = createEntries(room);
  }

  get statistics() {
    const { size, calculatedSize } = this.#entries;
    return { bytes: calculatedSize, entries: size, hits: this.#hits, misses: this.#misses };
  }

  /** What is kept and still holds. A key is used for one type only. */
  find<Value>(key: string): Value | null {
    return this.#find<Value>(key)?.value ?? null;
  }

  /** `commits` are those of the chain from before it was read. */
  keep<Value extends { readonly checkpoint: Checkpoint }>(
    key: string,
    subject: Pick<Basis, 'commits' | 'token'>,
    made: { readonly value: Value; readonly validity: Validity },
  ): void {
    const bases = [{ ...subject, at: made.value.checkpoint, heldAt: null }];
    this.#entries.set(key, { ...made, bases });
  }

  /**
   * What holds until the next commit of one of the chains; concurrent callers share it. `make`
   * calls `discard` if it must not be kept for later callers.
   */
  async get<Value>(
    key: string,
    chains: readonly ChainSlug[],
    make: (discard: () => void) => Promise<Value>,
  ): Promise<Value> {
    const known = this.#find<Value>(key);
    if (known !== null) return known.value;
    const subjects = chains.map((chain) => ({ chain, token: null }));
    const { value } = await this.#make(key, subjects, async (bases) => {
      let validity = ALWAYS;
      const made = await make(() => {
        validity = NEVER;
      });
      return { value: made, bases, validity };
    });
    return value;
  }

  /** The answer about a token; its `asOf` moves on with commits that do not change it. */
  answer(key: AnswerKey, make: () => Promise<MadeAnswer>): ReadyAnswer | Promise<ReadyAnswer> {
    const known = this.find<AnswerBytes>(key.name);
    const { last } = this.#states.commits(key.chain);
    if (known !== null) {
      this.#hits += 1;
      return toReady(known, pickLater(last, known.checkpoint));
    }
    this.#misses += 1;
    const made = this.#make(key.name, [key], async (bases) => {
      const { text, checkpoint, validity } = await make();
      const bytes = Buffer.from(text);
      const value: AnswerBytes = { bytes, etag: computeEtag(text), checkpoint, sent: null };
      // First, because an answer that cannot be sent must not be cached.
      toReady(value, checkpoint);
      return { value, bases: bases.map((one) => ({ ...one, at: checkpoint })), validity };
    });
    return made.then((kept) => {
      const { value, bases } = kept;
      const [basis] = isHolding(kept) ? bases : [];
      return toReady(value, pickLater(basis?.commits.last ?? null, value.checkpoint));
    });
  }

  /** Drops everything, also what is being made, because something besides commits has changed. */
  clear(): void {
    this.#entries.clear();
    this.#pending.clear();
  }

  #find<Value>(key: string): Kept<Value> | null {
    const kept = this.#entries.get(key);
    return kept === undefined || !isHolding(kept) ? null : (kept as Kept<Value>);
  }

  #make<Value>(
    key: string,
    subjects: readonly Subject[],
    make: (bases: readonly Basis[]) => Promise<Kept<Value>>,
  ): Promise<Kept<Value>> {
    const known = this.#pending.get(key);
    // A request after a change must not share what was begun before it.
    if (known !== undefined && !known.bases.some(isPast)) {
      return known.promise as Promise<Kept<Value>>;
    }
    const bases = subjects.map((subject) => this.#findBasis(subject));
    const promise = make(bases);
    const pending: Pending = { promise, bases };
    this.#pending.set(key, pending);
    const settle = (kept: Kept<Value> | null) => {
      if (this.#pending.get(key) !== pending) return;
      this.#pending.delete(key);
      if (kept !== null && isHolding(kept)) this.#entries.set(key, kept);
    };
    promise.then(settle, () => settle(null));
    return promise;
  }

  #findBasis({ chain, token }: Subject): Basis {
    const commits = this.#states.commits(chain);
    if (commits.last === null) throw new Error(`nothing of ${chain} is indexed yet`);
    return { commits, token, at: commits.last, heldAt: null };
  }
}

function toReady(answer: AnswerBytes, at: Checkpoint): ReadyAnswer {
  if (answer.sent?.at === at) return answer.sent.answer;
  const { bytes: long, etag } = answer;
  const end = Buffer.from(`,"asOf":${serializeAsOf(at)}}`);
  const bytes = Buffer.concat([long, end]);
  const ready: ReadyAnswer = { kind: 'ready', bytes, parts: { long, end }, etag };
  answer.sent = { at, answer: ready };
  return ready;
}

/** The approximate size of an entry besides its bytes. */
const ENTRY_OVERHEAD_BYTES = 600;
/** Smaller answers are not compressed. */
const COMPRESSED_BYTES_MIN = 1024;

/** Twice, since the whole answer as it was sent is kept, too, and half for compressed forms. */
function computeSize({ bytes: { length } }: AnswerBytes): number {
  const compressed = length < COMPRESSED_BYTES_MIN ? 0 : Math.ceil(length / 2);
  return 2 * length + compressed + ENTRY_OVERHEAD_BYTES;
}
