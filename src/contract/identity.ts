// The caller: `kind` is the level of access and appears in logs, `key` identifies the budget.

import type { SessionTransport, WalletRecord } from '../model/access-record.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { WalletId } from '../model/ids.ts';

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
}

export interface SessionIdentity {
  readonly kind: 'session';
  readonly key: string;
  readonly wallet: WalletRecord;
  readonly chain: ChainSlug;
  readonly sessionId: string;
  readonly transport: SessionTransport;
  readonly createdAtMs: number;
  /** The end that no use can extend. */
  readonly expiresAtMs: number;
}

export type Identity = AnonymousIdentity | KeyIdentity | SessionIdentity;

/** The levels of access, lowest first. */
export const LEVELS = ['anonymous', 'key', 'session'] as const satisfies Identity['kind'][];

export type Level = (typeof LEVELS)[number];
