// News of a chain's market, as they are recorded for streams.

import type { AlertFiring } from './alert.ts';
import type { Address, PoolId } from './ids.ts';

/** A token or a pool is new; a launch began, or sold all it had; an alert of a wallet fired. */
export type NewsSubject =
  | { readonly kind: 'token'; readonly token: Address }
  | { readonly kind: 'pool' | 'launch' | 'graduation'; readonly pool: PoolId }
  | { readonly kind: 'alert'; readonly alert: string; readonly firing: AlertFiring };

export type NewsKind = NewsSubject['kind'];

/** Removed together with its block. */
export type News = NewsSubject & { readonly block: number; readonly timestampMs: number };

/** The commit that brought it, and its place among the news of that commit. */
export interface NewsPosition {
  readonly version: number;
  readonly index: number;
}

export type NewsRecord = News & NewsPosition;
