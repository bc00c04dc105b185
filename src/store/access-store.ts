// What access needs from a store. Every method is atomic; times come from the caller's clock.

import type { KeyRecord, SessionRecord, WalletRecord } from '../model/access-record.ts';
import type { WalletId } from '../model/ids.ts';

/** What is stored of a challenge when it signs in. */
export interface UsedChallenge {
  readonly nonce: string;
  readonly expiresAtMs: number;
}

export type SignInOutcome =
  /** `endedIds` are sessions of the wallet that were evicted for the new one. */
  | { readonly outcome: 'signedIn'; readonly endedIds: readonly string[] }
  | { readonly outcome: 'challengeGone' };

export interface IdempotencyMark {
  /** The idempotency key, hashed. */
  readonly word: string;
  /** The request, hashed. */
  readonly request: string;
}

export type KeyIssue =
  | { readonly outcome: 'issued'; readonly key: KeyRecord }
  /** The same idempotency key was used before with the same request. */
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

/** Requests of one key, or of all sessions of a wallet, since the last flush. */
export interface UsageEntry {
  readonly walletId: WalletId;
  /** A key's id, or `SESSION_SOURCE`. */
  readonly source: string;
  readonly requests: number;
  readonly lastUsedAtMs: number;
}

export const SESSION_SOURCE = 'session';

/** What a key, or the sessions of a wallet, were used for in an hour. */
export interface OperationUse {
  readonly walletId: WalletId;
  /** A key's id, or `SESSION_SOURCE`. */
  readonly source: string;
  /** Hours since 1970. */
  readonly hour: number;
  readonly operation: string;
  /** Without those that were limited. */
  readonly requests: number;
  /** In thousandths. */
  readonly costMilli: number;
  readonly limited: number;
  readonly errors: number;
}

interface OperationUsageQuery {
  readonly fromHour: number;
  /** Exclusive. */
  readonly toHour: number;
  /** Null for all. */
  readonly source: string | null;
  /** Hours or days; a sum has the first hour of its interval. */
  readonly hoursEach: 1 | 24;
  readonly limit: number;
}

/** A tier that an operator gave to a wallet, whether or not it has signed in. */
interface AssignedTier {
  readonly walletId: WalletId;
  readonly tier: string;
  readonly assignedAtMs: number;
}

/** A process on the store, and what it says of itself. */
interface NodeRecord {
  readonly id: string;
  readonly report: string;
  readonly seenAtMs: number;
}

/** Distinguishes peppers of the same version, without revealing them. */
interface PepperMark {
  readonly version: number;
  readonly mark: string;
}

export interface AccessStore {
  /**
   * Uses the challenge and starts the session: of concurrent calls with one challenge, only one
   * succeeds, and none once it has expired.
   */
  signIn(
    challenge: UsedChallenge,
    session: SessionRecord,
    options: { readonly sessionsMax: number },
  ): Promise<SignInOutcome>;

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
  /** Stores the key's hash with a newer pepper. */
  rehashKey(id: string, next: { readonly hash: string; readonly version: number }): Promise<void>;
  /** Newest first; only those after a position, if given. */
  readKeys(
    walletId: WalletId,
    page: { readonly after: KeyPosition | null; readonly limit: number },
  ): Promise<KeyRecord[]>;
  countActiveKeys(walletId: WalletId, nowMs: number): Promise<number>;
  revokeKey(
    key: { readonly walletId: WalletId; readonly id: string },
    nowMs: number,
  ): Promise<KeyRevocation>;

  /** The stored keys among the ids, with the fields that decide whether they are active. */
  readKeysById(ids: readonly string[]): Promise<KeyRecord[]>;
  readSessionsById(ids: readonly string[]): Promise<SessionRecord[]>;
  /** Every wallet that has signed in with this address, on any chain. */
  findWallets(idOrAddress: string): Promise<WalletRecord[]>;

  addUsage(entries: readonly UsageEntry[]): Promise<void>;
  /** Requests by source in the 24 hours up to now, counted by whole hours. */
  readUsage(walletId: WalletId, nowMs: number): Promise<ReadonlyMap<string, number>>;

  addOperationUsage(uses: readonly OperationUse[]): Promise<void>;
  /** By time, source and operation, ascending. */
  readOperationUsage(walletId: WalletId, query: OperationUsageQuery): Promise<OperationUse[]>;

  /** Null if the wallet has none of its own. */
  findTier(walletId: WalletId): Promise<string | null>;
  /** Null takes it away. */
  assignTier(walletId: WalletId, tier: string | null, nowMs: number): Promise<void>;
  /** By tier and wallet. */
  readTiers(): Promise<AssignedTier[]>;

  reportNode(node: NodeRecord): Promise<void>;
  /** Removes the node, and those that were last seen before a time. */
  removeNode(id: string, others: { readonly seenBeforeMs: number }): Promise<void>;
  readNodes(seenSinceMs: number): Promise<NodeRecord[]>;

  readPepperMarks(): Promise<PepperMark[]>;
  addPepperMarks(marks: readonly PepperMark[]): Promise<void>;
  /** The number of active keys for each version of the pepper. */
  countKeysByPepper(nowMs: number): Promise<ReadonlyMap<number, number>>;

  /**
   * Deletes what has ended: challenges, sessions, keys, idempotency keys, old usage, and wallets
   * that have nothing left. A call looks at a part of the wallets; the next goes on from there.
   */
  sweep(nowMs: number): Promise<void>;
}
