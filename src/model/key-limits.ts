// What an API key may be used for, as its owner decided when it was issued.

/**
 * `data`: reads over HTTP. `mcp`: the endpoint for agents, with all its tools. `quote`: quotes.
 * `webhooks`: the wallet's webhooks and alerts.
 */
export const KEY_SCOPES = ['data', 'mcp', 'quote', 'webhooks'] as const;

/** Of a key whose owner names none: such a key changes nothing of the wallet. */
export const DEFAULT_KEY_SCOPES = ['data', 'mcp', 'quote'] as const satisfies KeyScope[];

export type KeyScope = (typeof KEY_SCOPES)[number];

export interface KeyLimits {
  readonly scopes: readonly KeyScope[];
  /** CIDRs that requests may come from; none means anywhere. */
  readonly allowedIps: readonly string[];
  /** The part of the wallet's budget that the key may use; null for all of it. */
  readonly perMinute: number | null;
}
