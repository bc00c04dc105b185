// Stored records of access: sessions and API keys.

import type { ChainSlug } from './chain.ts';
import type { WalletId } from './ids.ts';
import type { KeyLimits } from './key-limits.ts';

/** How a session is sent: as a browser's cookie or as a bearer token, never as both. */
export type SessionTransport = 'cookie' | 'token';

export interface WalletRecord {
  /** `eip155:<address>`, `eip155:<chainId>:<address>` or `solana:<address>`. */
  readonly id: WalletId;
  /** As people are shown it, not as the market's rows have it. */
  readonly address: string;
}

export interface SessionRecord {
  readonly id: string;
  readonly tokenHash: string;
  readonly wallet: WalletRecord;
  /** The chain whose wallet signed. */
  readonly chain: ChainSlug;
  readonly transport: SessionTransport;
  readonly createdAtMs: number;
  readonly lastUsedAtMs: number;
  /** The end that no use can extend. */
  readonly expiresAtMs: number;
}

export interface KeyRecord {
  readonly id: string;
  readonly walletId: WalletId;
  readonly name: string;
  readonly hash: string;
  /** The version of the pepper that the hash was made with. */
  readonly pepperVersion: number;
  readonly prefix: string;
  readonly last4: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number | null;
  readonly revokedAtMs: number | null;
  readonly lastUsedAtMs: number | null;
  readonly limits: KeyLimits;
}

/** Whether a key is active; at its expiry time it is not. */
export function isActiveKey(key: KeyRecord, nowMs: number): boolean {
  return key.revokedAtMs === null && (key.expiresAtMs === null || key.expiresAtMs > nowMs);
}
