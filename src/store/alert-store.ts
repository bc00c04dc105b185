// What alerts need from a store.

import type { AlertRecord, AlertState } from '../model/alert.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { WalletId } from '../model/ids.ts';

export type NewAlert = Omit<AlertRecord, 'change' | 'endedAtMs'>;

export interface ChainAlert {
  readonly chain: ChainSlug;
  readonly record: AlertRecord;
}

/** The newest first, from below a change. */
export interface AlertPage {
  readonly before: number;
  readonly limit: number;
}

/** For the indexer, and for whoever tells what fired. */
export interface AlertReads {
  /** Alerts of a chain that were added or deleted after a change, in order. */
  readAlertChanges(
    chain: ChainSlug,
    wanted: { readonly after: number; readonly limit: number },
  ): Promise<AlertRecord[]>;
  /** The states of these alerts as of every block that is kept. */
  readAlertStates(chain: ChainSlug, alerts: readonly string[]): Promise<AlertState[]>;
  scanAlerts(chain: ChainSlug): AsyncIterable<readonly AlertRecord[]>;
  scanAlertStates(chain: ChainSlug): AsyncIterable<readonly AlertState[]>;
}

/** For their owners. */
export interface AlertStore {
  /** Null if the owner has as many as it may. */
  addAlert(
    chain: ChainSlug,
    added: { readonly alert: NewAlert; readonly max: number },
  ): Promise<AlertRecord | null>;
  /** Null if the owner has no such alert, or has deleted it. */
  endAlert(of: {
    readonly owner: WalletId;
    readonly id: string;
    readonly nowMs: number;
  }): Promise<ChainAlert | null>;
  readAlertsOf(owner: WalletId, page: AlertPage): Promise<ChainAlert[]>;
  countAlerts(owner: WalletId): Promise<number>;
}
