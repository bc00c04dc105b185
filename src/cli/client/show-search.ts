// `mintwire search <text>`: finds tokens.

import type { OutputOf } from '../../contract/operation.ts';
import type { searchTokens } from '../../contract/operations/search-tokens.ts';
import { readCommand } from '../read-command.ts';
import { cutText, formatTable } from './format-table.ts';
import { formatNumber, formatPct } from './format-value.ts';
import { READ_FLAGS, READ_HELP, runRead } from './run-read.ts';

const FORM = {
  name: 'npx mintwire search',
  help: `usage: npx mintwire search <text> [--chain <chain>] [--limit <rows>]

Finds tokens by symbol, name or address, what people most likely mean first.

${READ_HELP}`,
  flags: { chain: { type: 'string' }, limit: { type: 'string' }, ...READ_FLAGS },
  args: ['text'],
} as const;

type SearchFound = OutputOf<typeof searchTokens>;

type FoundToken = SearchFound['tokens'][number];

const NAME_WIDTH = 24;

function formatName({ symbol, verified }: FoundToken): string {
  return `${symbol ?? '-'}${verified.length > 0 ? ' ✓' : ''}`;
}

function describe({ tokens }: SearchFound, width: number): string {
  if (tokens.length === 0) return 'No token was found.';
  const volume = (one: FoundToken) => formatNumber(one.volume24hUsd);
  const table = formatTable(
    tokens,
    [
      { title: 'SYMBOL', read: formatName },
      { title: 'NAME', read: ({ name }) => cutText(name ?? '-', NAME_WIDTH), narrow: 'drop' },
      { title: 'PRICE USD', read: ({ priceUsd }) => formatNumber(priceUsd), isNumber: true },
      { title: '24H', read: (one) => formatPct(one.priceChange24hPct), isNumber: true },
      { title: 'VOLUME 24H', read: volume, isNumber: true, narrow: 'drop' },
      { title: 'LIQUIDITY', read: (one) => formatNumber(one.liquidityUsd), isNumber: true },
    ],
    { width, below: { title: 'TOKEN', read: ({ chain, mint }) => `${chain}:${mint}` } },
  );
  return tokens.some(({ verified }) => verified.length > 0)
    ? `${table}\n\n✓ on a token list that this server reads`
    : table;
}

export async function showSearch(typed: readonly string[]): Promise<void> {
  const command = readCommand(typed, FORM);
  if (command === null) return;
  const { values, args } = command;
  await runRead(values, async ({ client, print, width }) => {
    const { chain, limit } = values;
    const answer = await client.get<SearchFound>('/tokens/search', { q: args[0], chain, limit });
    print(answer, () => describe(answer, width));
  });
}
