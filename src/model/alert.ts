// Alerts: what a wallet wants to be told of, how far each has got, and what has fired.

import type { Address, PoolId, TransactionId, WalletId } from './ids.ts';
import type { TradeSide } from './market-record.ts';

/** What is watched. Numbers are decimal strings in our own form, percentages JSON numbers. */
export type AlertCondition =
  | { readonly kind: 'priceUsd'; readonly when: 'crosses' | 'above' | 'below'; readonly at: string }
  | { readonly kind: 'liquidityUsd'; readonly when: 'below'; readonly at: string }
  | { readonly kind: 'liquidityUsd'; readonly when: 'drop'; readonly pct: number }
  | {
      readonly kind: 'changePct';
      readonly window: AlertWindow;
      readonly when: 'above' | 'below';
      readonly pct: number;
    }
  | { readonly kind: 'volumeUsd'; readonly window: AlertWindow; readonly at: string }
  | { readonly kind: 'trade'; readonly valueUsd: string; readonly side: TradeSide | null }
  | { readonly kind: 'wallet'; readonly wallet: Address }
  | { readonly kind: 'newPool'; readonly minLiquidityUsd: string }
  | { readonly kind: 'holdersTop10Pct'; readonly at: number };

export const ALERT_WINDOWS = ['5m', '15m', '1h', '6h', '24h'] as const;
export type AlertWindow = (typeof ALERT_WINDOWS)[number];

export interface AlertRule {
  readonly condition: AlertCondition;
  /** While the token's liquidity is below it, nothing is decided. */
  readonly minLiquidityUsd: string | null;
  /** How far a figure must go back before the alert can fire again. */
  readonly rearmPct: number;
  readonly cooldownMs: number;
  readonly once: boolean;
}

export interface AlertRecord {
  readonly id: string;
  readonly owner: WalletId;
  readonly webhook: string | null;
  /** Null for one of the whole chain. */
  readonly token: Address | null;
  readonly rule: AlertRule;
  readonly createdAtMs: number;
  /** When its owner deleted it. */
  readonly endedAtMs: number | null;
  /** Grows with every change of the chain's alerts, in the order of their commits. */
  readonly change: number;
}

/** How far an alert is, as of the end of a block: the row of an earlier block stays as it was. */
export interface AlertState {
  readonly alert: string;
  readonly block: number;
  /** It decides about the blocks after this one. */
  readonly fromBlock: number;
  /** The last block that it decided about; null while it goes on. */
  readonly endedBlock: number | null;
  /** Whether the next figure beyond the bound fires. */
  readonly isArmed: boolean;
  /** What the next figure is compared with, where that is not the bound: a side or a figure. */
  readonly mark: string | null;
  readonly firings: number;
  readonly firedAtMs: number | null;
  /** The figure that fired last. */
  readonly figure: string | null;
}

/** What made an alert fire; stored with the commit that brought it. */
export interface AlertFiring {
  readonly owner: WalletId;
  readonly webhook: string | null;
  readonly rule: AlertRule;
  readonly token: Address | null;
  /** The figure that decided: a price, a value in USD, a percentage. */
  readonly figure: string;
  /** What it was compared with: the bound, or the figure that it has dropped from. */
  readonly bound: string;
  readonly trade: {
    readonly txHash: TransactionId;
    readonly index: number;
    readonly side: TradeSide;
    readonly wallet: Address;
    readonly valueUsd: string | null;
  } | null;
  readonly pool: PoolId | null;
}
