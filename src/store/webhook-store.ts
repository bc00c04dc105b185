// What webhooks need from a store. Every method is atomic; times come from the caller's clock.

import type { WalletId } from '../model/ids.ts';
import type {
  PendingDelivery,
  WebhookDelivery,
  WebhookProgress,
  WebhookRecord,
} from '../model/webhook.ts';

/** What the sender notes after an attempt. */
export interface WebhookStep {
  readonly id: string;
  /** Its `step` is one above the stored one; otherwise nothing is written. */
  readonly progress: WebhookProgress;
  /** Undefined leaves the stored one. */
  readonly pending: PendingDelivery | null | undefined;
  readonly delivery: WebhookDelivery | null;
  /** Disables the webhook. */
  readonly disabledReason: string | null;
}

interface DeliveryPosition {
  readonly atMs: number;
  readonly id: string;
}

export interface WebhookStore {
  /** False if the wallet has `countMax` already. */
  create(record: WebhookRecord, countMax: number): Promise<boolean>;
  find(id: string): Promise<WebhookRecord | null>;
  /** The newest first. */
  list(walletId: WalletId): Promise<WebhookRecord[]>;
  /** Of all webhooks. */
  listRevisions(): Promise<{ readonly id: string; readonly revision: number }[]>;
  readMany(ids: readonly string[]): Promise<WebhookRecord[]>;
  readPending(id: string): Promise<PendingDelivery | null>;
  /**
   * Writes what the owner decides. False unless the stored revision is the one before: somebody
   * else has changed it.
   */
  saveSettings(record: WebhookRecord): Promise<boolean>;
  /** In one transaction. Returns the ids of those that were written. */
  saveSteps(steps: readonly WebhookStep[]): Promise<ReadonlySet<string>>;
  delete(id: string): Promise<void>;
  addDelivery(delivery: WebhookDelivery): Promise<void>;
  /** The newest first. */
  readDeliveries(
    webhookId: string,
    page: {
      readonly status: WebhookDelivery['status'] | null;
      readonly after: DeliveryPosition | null;
      readonly limit: number;
    },
  ): Promise<WebhookDelivery[]>;
  /** Deletes all but the newest. */
  pruneDeliveries(webhookId: string, kept: number): Promise<void>;
}
