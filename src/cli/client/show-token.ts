// `mintwire token <token>`: what is known of a token.

import type { OutputOf } from '../../contract/operation.ts';
import type { getToken } from '../../contract/operations/get-token.ts';
import { toTerminalLine } from '../../telemetry/terminal-text.ts';
import { readCommand } from '../read-command.ts';
import { formatFacts, formatTable } from './format-table.ts';
import { formatCount, formatNumber, formatPct, formatTime } from './format-value.ts';
import { resolveToken } from './resolve-token.ts';
import { READ_FLAGS, READ_HELP, runRead } from './run-read.ts';

const FORM = {
  name: 'npx mintwire token',
  help: `usage: npx mintwire token <token> [--chain <chain>]

Shows a token's price, market and pools. <token> is chain:mint, or a symbol or name: then the token
that a search finds first.

${READ_HELP}`,
  flags: { chain: { type: 'string' }, ...READ_FLAGS },
  args: ['token'],
} as const;

type ShownToken = OutputOf<typeof getToken>;

const POOLS_SHOWN_MAX = 10;

function formatFee(feePips: number | null): string {
  return feePips === null ? '-' : `${feePips / 10_000}%`;
}

function describe(token: ShownToken, width: number): string {
  const { symbol, name, chain, mint, createdAt, verified, pools } = token;
  const facts: readonly (readonly [string, string])[] = [
    ['Price', `${formatNumber(token.priceUsd)} USD`],
    ['24 hours', formatPct(token.priceChange24hPct)],
    ['Volume 24 hours', `${formatNumber(token.volume24hUsd)} USD`],
    ['Trades 24 hours', formatCount(token.trades24h)],
    ['Market cap', `${formatNumber(token.marketCapUsd)} USD`],
    ['Liquidity', `${formatNumber(token.liquidityUsd)} USD`],
    ['Holders', formatCount(token.holders)],
    ['First seen', createdAt === null ? '-' : formatTime(createdAt)],
    ['Verified by', verified.length === 0 ? '-' : verified.join(', ')],
  ];
  const table = formatTable(
    pools.slice(0, POOLS_SHOWN_MAX),
    [
      { title: 'VENUE', read: ({ venue }) => venue },
      { title: 'FEE', read: (one) => formatFee(one.feePips), isNumber: true },
      { title: 'LIQUIDITY', read: (one) => formatNumber(one.liquidityUsd), isNumber: true },
    ],
    { width, below: { title: 'POOL', read: ({ address }) => address } },
  );
  return [
    toTerminalLine(`${symbol ?? '-'} (${name ?? '-'}), ${chain}:${mint}`),
    '',
    formatFacts(facts),
    '',
    table,
  ].join('\n');
}

export async function showToken(typed: readonly string[]): Promise<void> {
  const command = readCommand(typed, FORM);
  if (command === null) return;
  const { values, args } = command;
  await runRead(values, async ({ client, print, width }) => {
    const { chain, mint } = await resolveToken(client, args[0] ?? '', values.chain);
    const answer = await client.get<ShownToken>('/token', { chain, mint });
    print(answer, () => describe(answer, width));
  });
}
