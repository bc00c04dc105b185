// Downloads every candle of a token from a time on, as CSV and as Parquet.
// `npx node examples/download-candles.ts <chain> <mint> <interval> <from: ISO date> <file>`

import { writeFileSync } from 'node:fs';
import { parquetWriteBuffer } from 'hyparquet-writer';
// In your own project: '@mintwire/client'.
import { createClient, eachKline, type Kline, type OperationInput } from '../sdk/src/client.ts';

const [chain = '', mint = '', interval = '1m', from = '', file = 'candles'] = process.argv.slice(2);
if (Number.isNaN(Date.parse(from))) {
  console.error(
    'usage: npx node examples/download-candles.ts <chain> <mint> <interval> <from: ISO date> <file>',
  );
  process.exit(1);
}
const client = createClient({
  baseUrl: process.env['MINTWIRE_URL'] ?? 'http://127.0.0.1:8080/v1',
});

const input = {
  ...{ chain, mint, startTime: Date.parse(from) },
  interval: interval as OperationInput<'getKlines'>['interval'],
};
const klines: Kline[] = [];
for await (const kline of eachKline(client, input)) if (kline.closed) klines.push(kline);

// Prices stay text: eighteen digits do not fit into a float.
const PRICES = ['open', 'high', 'low', 'close', 'volume', 'quoteVolume'] as const;
const COLUMNS = ['openTime', ...PRICES, 'trades'] as const;
const lines = klines.map((kline) => COLUMNS.map((name) => kline[name] ?? '').join(','));
writeFileSync(`${file}.csv`, `${[COLUMNS.join(','), ...lines].join('\n')}\n`);

const columnData = [
  {
    name: 'openTime',
    data: klines.map(({ openTime }) => new Date(openTime)),
    type: 'TIMESTAMP' as const,
  },
  ...PRICES.map((name) => ({
    name,
    data: klines.map((kline) => kline[name]),
    type: 'STRING' as const,
  })),
  { name: 'trades', data: klines.map(({ trades }) => trades), type: 'INT32' as const },
];
writeFileSync(`${file}.parquet`, new Uint8Array(parquetWriteBuffer({ columnData })));
console.log(`${klines.length} candles in ${file}.csv and ${file}.parquet`);
