// The users of the service during a soak: readers, traders that request quotes, and wallets.

import { createAccessClient } from '../access-client.ts';
import { createEvmWallet } from '../wallets.ts';
import type { Tally } from './tally.ts';

export interface SoakToken {
  readonly chain: string;
  readonly mint: string;
}

export interface Stage {
  readonly origin: string;
  readonly tally: Tally;
  /** Tokens that have a market. */
  readonly tokens: readonly SoakToken[];
  /** An API key for the streams. */
  readonly streamKey: string;
  readonly isOver: () => boolean;
}

function pick<T>(items: readonly T[]): T {
  const item = items[Math.floor(Math.random() * items.length)];
  if (item === undefined) throw new Error('nothing to pick from');
  return item;
}

export function rest(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Repeats work until the end; an error is recorded and does not end it. */
export async function repeat(
  stage: Stage,
  options: { readonly kind: string; readonly restMs: number },
  work: () => Promise<void>,
): Promise<void> {
  while (!stage.isOver()) {
    try {
      await work();
    } catch (error) {
      stage.tally.fail(`${options.kind} failed`, String(error));
    }
    await rest(Math.random() * 2 * options.restMs);
  }
}

const INTERVALS = ['1s', '1m', '5m', '1h', '1d'] as const;
const WORDS = ['wire', 'usd', 'weth', 'WR', 'ether', 'zzz', '%', 'dogge'] as const;

export function runReader(stage: Stage): Promise<void> {
  return repeat(stage, { kind: 'read', restMs: 20 }, async () => {
    const { chain, mint } = pick(stage.tokens);
    const token = `chain=${chain}&mint=${mint}`;
    const path = pick([
      `/token?${token}`,
      `/token/klines?${token}&interval=${pick(INTERVALS)}&limit=200`,
      `/token/trades?${token}&limit=50`,
      `/token/holders?${token}&limit=50`,
      `/token/safety?${token}`,
      `/token/traders?${token}&limit=20`,
      `/tokens/search?q=${encodeURIComponent(pick(WORDS))}`,
    ]);
    const name = path.split('?', 1)[0] ?? path;
    await stage.tally.check(
      path.includes('chain=') ? `${chain} ${name}` : name,
      await fetch(`${stage.origin}/v1${path}`),
    );
  });
}

/** A pool may be too thin for the request: that response is expected. */
const QUOTE_MEANT = [200, 404, 409];

export function runQuoter(stage: Stage): Promise<void> {
  return repeat(stage, { kind: 'quote', restMs: 50 }, async () => {
    const { chain, mint } = pick(stage.tokens);
    // Amounts have 18 decimals on one chain, 6 to 9 on the other.
    const digits = (chain === 'devnet' ? 12 : 5) + Math.floor(Math.random() * 7);
    const side = pick(['buy', 'sell']);
    const body = { chain, mint, side, amountInRaw: String(10n ** BigInt(digits)) };
    const response = await fetch(`${stage.origin}/v1/trade/quote`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    await stage.tally.check(`${chain} /trade/quote`, response, QUOTE_MEANT);
  });
}

/** Signs in, issues a key, uses it, revokes it, checks that it is rejected, and logs out. */
export function runWallet(stage: Stage): Promise<void> {
  const client = createAccessClient(stage.origin);
  const { tally } = stage;
  return repeat(stage, { kind: 'wallet', restMs: 400 }, async () => {
    const { token } = await client.signIn(createEvmWallet());
    const { id, key } = await client.issueKey(token, 'soak');
    const read = () => client.send('GET', '/entitlements', { bearer: key });
    const alive = await read();
    if (alive.body['level'] !== 'key') tally.fail('key not accepted', JSON.stringify(alive.body));
    await client.send('DELETE', `/keys?id=${id}`, { bearer: token });
    const dead = await read();
    if (dead.status !== 401) tally.fail('revoked key accepted', JSON.stringify(dead.body));
    await client.send('DELETE', '/auth/session', { bearer: token });
    tally.add('sign-in, key, revocation, log-out');
  });
}
