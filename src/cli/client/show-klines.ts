// `mintwire klines <token>`: candles of a token, with a chart of their closes.

import type { OutputOf } from '../../contract/operation.ts';
import type { getKlines } from '../../contract/operations/get-klines.ts';
import { readCommand } from '../read-command.ts';
import { drawChart } from './draw-chart.ts';
import { formatTable } from './format-table.ts';
import { formatNumber, formatTime } from './format-value.ts';
import { resolveToken } from './resolve-token.ts';
import { READ_FLAGS, READ_HELP, runRead } from './run-read.ts';

const FORM = {
  name: 'npx mintwire klines',
  help: `usage: npx mintwire klines <token> [--chain <chain>] [--interval <1h>] [--limit <48>]

Draws a chart of a token's price and lists its candles, in US dollars. <token> is chain:mint, or a
symbol or name: then the token that a search finds first.

${READ_HELP}`,
  flags: {
    chain: { type: 'string' },
    interval: { type: 'string' },
    limit: { type: 'string' },
    ...READ_FLAGS,
  },
  args: ['token'],
} as const;

type ShownKlines = OutputOf<typeof getKlines>;
type Kline = ShownKlines['klines'][number];

const INTERVAL = '1h';
const LIMIT = '48';
const CHART_HEIGHT = 8;
/** A terminal's page; the chart has the rest. */
const ROWS_MAX = 24;

function describe({ klines }: ShownKlines, title: string, width: number): string {
  if (klines.length === 0) return `${title}: no candle yet.`;
  const closes = klines.flatMap(({ close }) => (close === null ? [] : [Number(close)]));
  const column = (label: string, field: 'open' | 'high' | 'low' | 'close' | 'volume') => ({
    title: label,
    read: (kline: Kline) => formatNumber(kline[field]),
    isNumber: true,
  });
  const table = formatTable(klines.slice(-ROWS_MAX), [
    { title: 'OPENED (UTC)', read: ({ openTime }) => formatTime(openTime) },
    ...[column('OPEN', 'open'), column('HIGH', 'high'), column('LOW', 'low')],
    ...[column('CLOSE', 'close'), column('VOLUME', 'volume')],
    { title: 'TRADES', read: ({ trades }) => String(trades), isNumber: true },
  ]);
  return [title, '', drawChart(closes, { width, height: CHART_HEIGHT }), '', table].join('\n');
}

export async function showKlines(typed: readonly string[]): Promise<void> {
  const command = readCommand(typed, FORM);
  if (command === null) return;
  const { values, args } = command;
  await runRead(values, async ({ client, print, width }) => {
    const token = await resolveToken(client, args[0] ?? '', values.chain);
    const { chain, mint, symbol } = token;
    const { interval = INTERVAL, limit = LIMIT } = values;
    const answer = await client.get<ShownKlines>('/token/klines', { chain, mint, interval, limit });
    print(answer, () => describe(answer, `${symbol ?? mint}, ${interval}, USD`, width));
  });
}
