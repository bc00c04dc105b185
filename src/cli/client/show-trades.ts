// `mintwire trades <token>`: the last trades of a token.

import type { OutputOf } from '../../contract/operation.ts';
import type { getTrades } from '../../contract/operations/get-trades.ts';
import { readCommand } from '../read-command.ts';
import { formatTable } from './format-table.ts';
import { formatNumber, formatTime, shorten } from './format-value.ts';
import { resolveToken } from './resolve-token.ts';
import { READ_FLAGS, READ_HELP, runRead } from './run-read.ts';

const FORM = {
  name: 'npx mintwire trades',
  help: `usage: npx mintwire trades <token> [--chain <chain>] [--limit <20>] [--side buy|sell]

Lists the last trades of a token, newest first. <token> is chain:mint, or a symbol or name: then the
token that a search finds first.

${READ_HELP}`,
  flags: {
    chain: { type: 'string' },
    limit: { type: 'string' },
    side: { type: 'string' },
    ...READ_FLAGS,
  },
  args: ['token'],
} as const;

type ShownTrades = OutputOf<typeof getTrades>;

const LIMIT = '20';

function describe({ trades }: ShownTrades, width: number): string {
  if (trades.length === 0) return 'No trade yet.';
  return formatTable(
    trades,
    [
      {
        title: 'TIME (UTC)',
        read: ({ timestamp }) => formatTime(timestamp),
        narrow: ({ timestamp }) => formatTime(timestamp).slice(5),
      },
      { title: 'SIDE', read: ({ side }) => side },
      { title: 'AMOUNT', read: ({ amount }) => formatNumber(amount), isNumber: true },
      { title: 'PRICE USD', read: ({ priceUsd }) => formatNumber(priceUsd), isNumber: true },
      { title: 'VALUE USD', read: ({ valueUsd }) => formatNumber(valueUsd), isNumber: true },
      { title: 'VENUE', read: ({ venue }) => venue },
      { title: 'WALLET', read: ({ wallet }) => shorten(wallet), narrow: 'drop' },
      { title: 'TRANSACTION', read: ({ txHash }) => shorten(txHash), narrow: 'drop' },
    ],
    { width },
  );
}

export async function showTrades(typed: readonly string[]): Promise<void> {
  const command = readCommand(typed, FORM);
  if (command === null) return;
  const { values, args } = command;
  await runRead(values, async ({ client, print, width }) => {
    const { chain, mint } = await resolveToken(client, args[0] ?? '', values.chain);
    const { limit = LIMIT, side } = values;
    const answer = await client.get<ShownTrades>('/token/trades', { chain, mint, limit, side });
    print(answer, () => describe(answer, width));
  });
}
