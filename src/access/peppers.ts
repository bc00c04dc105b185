// The secrets under which keys and tokens are hashed: a stolen database is worth nothing without.

import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { VersionedSecret } from '../lib/versioned-secret.ts';
import type { AccessStore } from '../store/access-store.ts';

interface Pepper {
  readonly version: number;
  readonly key: KeyObject;
}

interface TokenHash {
  readonly version: number;
  readonly hash: string;
}

/** Purposes keep apart what is hashed for different ends. */
type Purpose = 'caller' | 'cursor' | 'pepper' | 'word' | 'request' | 'quote';

const MARK_LENGTH = 22;

export class Peppers {
  readonly #current: Pepper;
  readonly #older: readonly Pepper[];

  /** The newest first, at least one. */
  constructor(secrets: readonly VersionedSecret[]) {
    const [current, ...older] = secrets.map(({ version, secret }) => ({
      version,
      key: createSecretKey(secret),
    }));
    if (!current) throw new Error('at least one pepper is needed');
    this.#current = current;
    this.#older = older;
  }

  get versions(): readonly number[] {
    return [this.#current, ...this.#older].map((pepper) => pepper.version);
  }

  /** Under the newest pepper: what is stored from now on. */
  hash(token: string): TokenHash {
    return toTokenHash(this.#current, token);
  }

  /** Under the older ones: what may have been stored before. */
  olderHashes(token: string): readonly TokenHash[] {
    return this.#older.map((pepper) => toTokenHash(pepper, token));
  }

  /** A short stand-in for something that need not be stored as it is. */
  mark(purpose: Purpose, text: string): string {
    return toMark(this.#current, purpose, text);
  }

  /** Whether the present pepper or an older one gave this mark: nodes change them in turn. */
  isMark(purpose: Purpose, text: string, mark: string): boolean {
    return [this.#current, ...this.#older].some((pepper) =>
      areEqualHashes(toMark(pepper, purpose, text), mark),
    );
  }

  /**
   * Makes sure that the peppers are those that the store was written with: with another secret
   * under a known version every key and session would silently be refused.
   */
  async checkAgainst(store: AccessStore): Promise<void> {
    const marks = new Map(
      [this.#current, ...this.#older].map((pepper) => [
        pepper.version,
        toMark(pepper, 'pepper', String(pepper.version)),
      ]),
    );
    const stored = await store.readPepperMarks();
    const foreign = stored.find(({ version, mark }) => (marks.get(version) ?? mark) !== mark);
    if (foreign) throw new ForeignPepperError(foreign.version);
    for (const { version } of stored) marks.delete(version);
    if (marks.size === 0) return;
    await store.addPepperMarks(Array.from(marks, ([version, mark]) => ({ version, mark })));
  }
}

/** The store knows another secret under this version. */
class ForeignPepperError extends Error {
  override readonly name = 'ForeignPepperError';

  constructor(version: number) {
    super(
      `The pepper of version ${version} is not the one that the keys in this store were hashed with. ` +
        'Restore the old pepper, or add the new one under a higher version (docs/api/access.md).',
    );
  }
}

function toTokenHash(pepper: Pepper, token: string): TokenHash {
  const hash = createHmac('sha256', pepper.key).update(token).digest('base64url');
  return { version: pepper.version, hash };
}

function toMark(pepper: Pepper, purpose: Purpose, text: string): string {
  const digest = createHmac('sha256', pepper.key).update(`${purpose}\n${text}`);
  return digest.digest('base64url').slice(0, MARK_LENGTH);
}

/** In a time that does not depend on where they differ. */
export function areEqualHashes(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
