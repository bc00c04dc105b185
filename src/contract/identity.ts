// The caller: `kind` is the level of access and appears in logs, `key` identifies the budget.

import { AppError } from '../errors/app-error.ts';
import type { SessionTransport, WalletRecord } from '../model/access-record.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { WalletId } from '../model/ids.ts';
import type { KeyScope } from '../model/key-limits.ts';

interface AnonymousIdentity {
  readonly kind: 'anonymous';
  readonly key: string;
  /** The browser still sends the cookie of an ended session. */
  readonly hasStaleCookie?: true;
}

export interface KeyIdentity {
  readonly kind: 'key';
  /** The wallet: its keys share one budget. */
  readonly key: string;
  readonly walletId: WalletId;
  readonly keyId: string;
  /** The tier that an operator gave to the wallet; null for that of every key. */
  readonly tier: string | null;
  /** Null for a key with the scopes that every key has by default, from anywhere. */
  readonly limits: KeyRules | null;
}

/** The limits of a key, ready to be checked. */
export interface KeyRules {
  readonly scopes: ReadonlySet<KeyScope>;
  /** By the caller's address group. */
  isAllowedFrom(addressGroup: string): boolean;
  /** The key's own part of the wallet's budget; null for all of it. */
  readonly perMinute: number | null;
}

export interface SessionIdentity {
  readonly kind: 'session';
  readonly key: string;
  readonly wallet: WalletRecord;
  readonly chain: ChainSlug;
  readonly sessionId: string;
  /** The tier that an operator gave to the wallet; null for that of every session. */
  readonly tier: string | null;
  readonly transport: SessionTransport;
  readonly createdAtMs: number;
  /** The end that no use can extend. */
  readonly expiresAtMs: number;
}

export type Identity = AnonymousIdentity | KeyIdentity | SessionIdentity;

/** The wallet that the caller belongs to. */
export function requireWallet(identity: Identity): WalletId {
  if (identity.kind === 'session') return identity.wallet.id;
  if (identity.kind === 'key') return identity.walletId;
  throw new AppError('WALLET_SESSION_REQUIRED', { reason: 'none was sent' });
}

/** Whether the caller may use its wallet's alerts and webhooks: a key only if it has the scope. */
export function mayUseOwned(identity: Identity): boolean {
  if (identity.kind === 'session') return true;
  return identity.kind === 'key' && identity.limits?.scopes.has('webhooks') === true;
}

/** The levels of access, lowest first. */
export const LEVELS = ['anonymous', 'key', 'session'] as const satisfies Identity['kind'][];

export type Level = (typeof LEVELS)[number];
