// What access needs of a store. Every method is atomic; times come from the caller's clock.

import type {
  ChallengeRecord,
  KeyRecord,
  SessionRecord,
  WalletRecord,
} from '../model/access-record.ts';
import type { WalletId } from '../model/ids.ts';

/** How many challenges may be open at once. */
export interface ChallengeBounds {
  readonly perCallerMax: number;
  readonly perAddressMax: number;
  readonly totalMax: number;
}

export type ChallengeOpening =
  | { readonly outcome: 'opened' }
  /** `freeAtMs` is when the first of the challenges in the way runs out. */
  | { readonly outcome: 'full'; readonly freeAtMs: number };

export type SignIn =
  /** `endedIds` are the wallet's own sessions that had to go for the new one. */
  | { readonly outcome: 'signedIn'; readonly endedIds: readonly string[] }
  | { readonly outcome: 'challengeGone' };

export interface IdempotencyMark {
  /** The caller's word, hashed. */
  readonly word: string;
  /** What was asked for, hashed. */
  readonly request: string;
}

export type KeyIssue =
  | { readonly outcome: 'issued'; readonly key: KeyRecord }
  /** The same word with the same request came before. */
  | { readonly outcome: 'replayed'; readonly key: KeyRecord }
  | { readonly outcome: 'conflict' }
  | { readonly outcome: 'full' };

export type KeyRevocation =
  | { readonly outcome: 'revoked'; readonly key: KeyRecord }
  | { readonly outcome: 'revokedBefore' }
  | { readonly outcome: 'notFound' };

export interface KeyPosition {
  readonly createdAtMs: number;
  readonly id: string;
}

/** Requests of one key, or of a wallet's sessions together, since they were last told. */
export interface UsageEntry {
  readonly walletId: WalletId;
  /** A key's id, or `SESSION_SOURCE`. */
  readonly source: string;
  readonly requests: number;
  readonly lastUsedAtMs: number;
}

export const SESSION_SOURCE = 'session';

/** Tells a pepper from another of the same version, and nothing else about it. */
interface PepperMark {
  readonly version: number;
  readonly mark: string;
}

export interface AccessStore {
  openChallenge(record: ChallengeRecord, bounds: ChallengeBounds): Promise<ChallengeOpening>;
  /** Null once it is used up, has run out or never was. */
  readChallenge(id: string, nowMs: number): Promise<ChallengeRecord | null>;
  /** Counts a failed attempt; the challenge is gone after `failuresMax` of them. */
  failChallenge(id: string, failuresMax: number): Promise<void>;
  /** Uses the challenge up and begins the session: of many calls with one challenge, one does. */
  signIn(
    challengeId: string,
    session: SessionRecord,
    options: { readonly sessionsMax: number },
  ): Promise<SignIn>;

  findSession(tokenHash: string): Promise<SessionRecord | null>;
  /** The wallet's sessions, the newest first. */
  readSessions(walletId: WalletId): Promise<SessionRecord[]>;
  /** Moves the last use forward, never back. */
  touchSessions(uses: readonly { id: string; lastUsedAtMs: number }[]): Promise<void>;
  /** Returns the ids of those that were there and now are not. */
  endSessions(walletId: WalletId, ids: readonly string[]): Promise<string[]>;

  issueKey(
    key: KeyRecord,
    options: { readonly activeMax: number; readonly idempotency: IdempotencyMark | null },
  ): Promise<KeyIssue>;
  findKey(hash: string): Promise<KeyRecord | null>;
  /** Keeps the key under a newer pepper. */
  rehashKey(id: string, next: { readonly hash: string; readonly version: number }): Promise<void>;
  /** The newest first, those after a position where one is given. */
  readKeys(
    walletId: WalletId,
    page: { readonly after: KeyPosition | null; readonly limit: number },
  ): Promise<KeyRecord[]>;
  countActiveKeys(walletId: WalletId, nowMs: number): Promise<number>;
  revokeKey(
    key: { readonly walletId: WalletId; readonly id: string },
    nowMs: number,
  ): Promise<KeyRevocation>;

  /** Those of the ids that are stored, with what decides whether they still work. */
  readKeysById(ids: readonly string[]): Promise<KeyRecord[]>;
  readSessionsById(ids: readonly string[]): Promise<SessionRecord[]>;
  /** Every wallet that ever signed in under this address, whatever the chain. */
  findWallets(idOrAddress: string): Promise<WalletRecord[]>;

  addUsage(entries: readonly UsageEntry[]): Promise<void>;
  /** Requests by source in the 24 hours up to now, counted by whole hours. */
  readUsage(walletId: WalletId, nowMs: number): Promise<ReadonlyMap<string, number>>;

  readPepperMarks(): Promise<PepperMark[]>;
  addPepperMarks(marks: readonly PepperMark[]): Promise<void>;
  /** How many keys that still work were hashed under each version of the pepper. */
  countKeysByPepper(nowMs: number): Promise<ReadonlyMap<number, number>>;

  /** Forgets what has run out: challenges, sessions, idempotency words, old usage. */
  sweep(nowMs: number): Promise<void>;
}
