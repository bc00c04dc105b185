// Webhooks, as they are stored: where events are sent, which, and how far that is.

import type { ChainSlug } from './chain.ts';
import type { Address, WalletId } from './ids.ts';

/** The events that a webhook can have. `reverted` is what streams call `revert`. */
export const WEBHOOK_EVENTS = [
  'trade',
  'price',
  'holders',
  'pool',
  'launch',
  'graduation',
  'alert',
  'reverted',
] as const;

type WebhookEventName = (typeof WEBHOOK_EVENTS)[number];

interface WebhookToken {
  readonly chain: ChainSlug;
  readonly token: Address;
}

export interface WebhookSettings {
  readonly url: string;
  readonly events: readonly WebhookEventName[];
  readonly tokens: readonly WebhookToken[];
  /** Whose news are sent. */
  readonly chains: readonly ChainSlug[];
  /** Only trades of these; none for all. */
  readonly wallets: readonly Address[];
  readonly finality: 'head' | 'final';
  readonly batch: { readonly maxEvents: number; readonly maxMs: number };
}

/** Of one chain's index: the numbers of a stream's position. */
export interface WebhookPoint {
  readonly epoch: string;
  /**
   * As in the ids of streams: of tokens version, time, block, log; of news version, time, version,
   * index.
   */
  readonly at: readonly [number, number, number, number];
}

/** What was acknowledged. */
export interface WebhookCursor {
  readonly tokens: Readonly<Record<string, WebhookPoint>>;
  readonly news: Readonly<Record<string, WebhookPoint>>;
}

/** A delivery that failed: the same bytes are sent again. */
export interface PendingDelivery {
  readonly id: string;
  readonly body: string;
  readonly events: number;
  /** The cursor once it is acknowledged. */
  readonly cursor: WebhookCursor;
}

/** While events are sent again: where that ends, and where the webhook goes on then. */
interface WebhookReplay {
  readonly untilMs: number;
  readonly cursor: WebhookCursor;
}

export type WebhookStatus = 'active' | 'paused' | 'disabled';

/** What the owner decides. */
export interface WebhookRecord {
  readonly id: string;
  readonly walletId: WalletId;
  readonly settings: WebhookSettings;
  /** The signing keys, sealed. */
  readonly secrets: string;
  readonly publicKey: string;
  /** Until when the secret before this one signs, too; null if there is none. */
  readonly rotatedUntilMs: number | null;
  readonly status: WebhookStatus;
  readonly disabledReason: string | null;
  /** Counts the owner's changes. */
  readonly revision: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly progress: WebhookProgress;
}

/** What the sender notes. */
export interface WebhookProgress {
  /** Counts the changes of the cursor: who has not seen the last one may not move it. */
  readonly step: number;
  readonly cursor: WebhookCursor;
  /** Whether a delivery waits to be sent again. */
  readonly isPending: boolean;
  readonly replay: WebhookReplay | null;
  /** Attempts of the pending delivery that failed. */
  readonly failures: number;
  readonly failingSinceMs: number | null;
  readonly nextAttemptAtMs: number | null;
  readonly lastError: string | null;
  readonly lastSuccessAtMs: number | null;
}

/** One attempt. */
export interface WebhookDelivery {
  readonly webhookId: string;
  readonly atMs: number;
  /** Unique among those of a millisecond. */
  readonly id: string;
  /** The `webhook-id` that was sent. */
  readonly eventId: string;
  readonly status: 'delivered' | 'failed';
  readonly isTest: boolean;
  /** From 1. */
  readonly attempt: number;
  readonly events: number;
  readonly tookMs: number;
  readonly httpStatus: number | null;
  /** The beginning of what the receiver answered; null if there is nothing to show. */
  readonly answer: string | null;
  readonly error: string | null;
}
