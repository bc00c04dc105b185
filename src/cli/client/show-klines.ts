// `mintwire klines <token>`: candles of a token, drawn and listed.

import { styleText } from 'node:util';
import type { OutputOf } from '../../contract/operation.ts';
import type { getKlines } from '../../contract/operations/get-klines.ts';
import { toTerminalLine } from '../../telemetry/terminal-text.ts';
import { readCommand } from '../read-command.ts';
import { type DrawnCandle, drawCandles } from './draw-candles.ts';
import { formatTable } from './format-table.ts';
import { formatMinute, formatNumber } from './format-value.ts';
import { resolveToken } from './resolve-token.ts';
import { READ_FLAGS, READ_HELP, runRead } from './run-read.ts';

const FORM = {
  name: 'npx mintwire klines',
  help: `usage: npx mintwire klines <token> [--chain <chain>] [--interval <1h>] [--limit <48>]

Draws a token's candles and lists the last ones, in US dollars. <token> is chain:mint, or a
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
const CHART_HEIGHT = 12;
/** A terminal's page; the chart has the rest. */
const ROWS_MAX = 24;

function toCandle(kline: Kline): DrawnCandle[] {
  const { openTime, open, high, low, close } = kline;
  if (open === null || high === null || low === null || close === null) return [];
  const prices = { open: Number(open), high: Number(high), low: Number(low), close: Number(close) };
  return [{ openTime, isFilled: kline.filled === true, ...prices }];
}

function describe({ klines }: ShownKlines, title: string, width: number): string {
  if (klines.length === 0) return `${title}: no candle yet.`;
  const column = (label: string, field: 'open' | 'high' | 'low' | 'close' | 'volume') => ({
    title: label,
    read: (kline: Kline) => formatNumber(kline[field]),
    isNumber: true,
  });
  const traded = klines.filter(({ filled }) => filled !== true);
  const table = formatTable(
    traded.slice(-ROWS_MAX),
    [
      { title: 'OPENED (UTC)', read: ({ openTime }) => formatMinute(openTime) },
      ...[column('OPEN', 'open'), column('HIGH', 'high'), column('LOW', 'low')],
      ...[column('CLOSE', 'close'), column('VOLUME', 'volume')],
      { title: 'TRADES', read: ({ trades }) => String(trades), isNumber: true, narrow: 'drop' },
    ],
    { width },
  );
  const chart = drawCandles(klines.flatMap(toCandle), {
    ...{ width, height: CHART_HEIGHT },
    // Without colours where the reader wants none (NO_COLOR).
    paint: (colour, text) => styleText(colour, text, { stream: process.stdout }),
  });
  return [title, '', chart, '', table].join('\n');
}

export async function showKlines(typed: readonly string[]): Promise<void> {
  const command = readCommand(typed, FORM);
  if (command === null) return;
  const { values, args } = command;
  await runRead(values, async ({ client, print, width, isForPerson }) => {
    const token = await resolveToken(client, args[0] ?? '', values.chain);
    const { chain, mint, symbol } = token;
    const { interval = INTERVAL, limit = LIMIT } = values;
    const answer = await client.get<ShownKlines>('/token/klines', {
      ...{ chain, mint, interval, limit },
      // Drawn in step with time: an interval without a trade has its column, too.
      ...(isForPerson ? { fill: 'previous' } : {}),
    });
    print(answer, () =>
      describe(answer, toTerminalLine(`${symbol ?? mint}, ${interval}, USD`), width),
    );
  });
}
