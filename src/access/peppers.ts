// The secrets that keys and tokens are hashed with: a stolen database is useless without them.

import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
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

/** Domain separation: hashes for different purposes never match. */
type Purpose = 'challenge' | 'cursor' | 'pepper' | 'word' | 'request' | 'quote' | 'webhook';

const CIPHER = 'aes-256-gcm';
/** The size that the cipher is made for. */
const NONCE_BYTES = 12;

const MARK_LENGTH = 22;

export class Peppers {
  readonly #current: Pepper;
  readonly #older: readonly Pepper[];

  /** Newest first, at least one. */
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

  /** With the newest pepper: for new hashes. */
  hash(token: string): TokenHash {
    return hashToken(this.#current, token);
  }

  /** With the older peppers: for hashes stored earlier. */
  olderHashes(token: string): readonly TokenHash[] {
    return this.#older.map((pepper) => hashToken(pepper, token));
  }

  /** A short keyed hash of a value that need not be stored. */
  mark(purpose: Purpose, text: string): string {
    return computeMark(this.#current, purpose, text);
  }

  /**
   * Whether the current pepper or an older one produced this mark: nodes change peppers one by one.
   */
  isMark(purpose: Purpose, text: string, mark: string): boolean {
    return [this.#current, ...this.#older].some((pepper) =>
      areEqualHashes(computeMark(pepper, purpose, text), mark),
    );
  }

  /** Encrypts what is needed again in plain, with the newest pepper. */
  seal(purpose: Purpose, text: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, deriveKey(this.#current, purpose), nonce);
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    const parts = [nonce, cipher.getAuthTag(), sealed].map((part) => part.toString('base64url'));
    return [this.#current.version, ...parts].join('.');
  }

  /** Null if its pepper is missing, or the text was changed. */
  unseal(purpose: Purpose, text: string): string | null {
    const [version, ...parts] = text.split('.');
    const [nonce, tag, sealed] = parts.map((part) => Buffer.from(part, 'base64url'));
    const pepper = [this.#current, ...this.#older].find((one) => String(one.version) === version);
    if (!pepper || !nonce || !tag || !sealed) return null;
    try {
      const decipher = createDecipheriv(CIPHER, deriveKey(pepper, purpose), nonce);
      decipher.setAuthTag(tag);
      return Buffer.concat([decipher.update(sealed), decipher.final()]).toString('utf8');
    } catch {
      return null;
    }
  }

  /**
   * Checks that the store was written with these peppers: a different secret under a known version
   * would silently invalidate every key and session.
   */
  async checkAgainst(store: AccessStore): Promise<void> {
    const missing = await this.#findMissing(store);
    if (missing.length === 0) return;
    try {
      await store.addPepperMarks(missing);
    } catch (error) {
      // Another process that starts at the same time may have added them.
      if ((await this.#findMissing(store)).length > 0) throw error;
    }
  }

  /** Throws if the store has another secret under one of the versions. */
  async #findMissing(store: AccessStore): Promise<{ version: number; mark: string }[]> {
    const marks = new Map(
      [this.#current, ...this.#older].map((pepper) => [
        pepper.version,
        computeMark(pepper, 'pepper', String(pepper.version)),
      ]),
    );
    const stored = await store.readPepperMarks();
    const foreign = stored.find(({ version, mark }) => (marks.get(version) ?? mark) !== mark);
    if (foreign) throw new ForeignPepperError(foreign.version);
    for (const { version } of stored) marks.delete(version);
    return Array.from(marks, ([version, mark]) => ({ version, mark }));
  }
}

/** The store has a different secret under this version. */
class ForeignPepperError extends Error {
  override readonly name = 'ForeignPepperError';

  constructor(version: number) {
    super(
      `The pepper of version ${version} is not the one that the keys in this store were hashed with. ` +
        'Restore the old pepper, or add the new one under a higher version (docs/api/access.md).',
    );
  }
}

function hashToken(pepper: Pepper, token: string): TokenHash {
  const hash = createHmac('sha256', pepper.key).update(token).digest('base64url');
  return { version: pepper.version, hash };
}

function deriveKey(pepper: Pepper, purpose: Purpose): Buffer {
  return createHmac('sha256', pepper.key).update(`${purpose}\nkey`).digest();
}

function computeMark(pepper: Pepper, purpose: Purpose, text: string): string {
  const digest = createHmac('sha256', pepper.key).update(`${purpose}\n${text}`);
  return digest.digest('base64url').slice(0, MARK_LENGTH);
}

/** Constant-time comparison. */
export function areEqualHashes(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
