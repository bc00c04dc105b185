// A price bot: watches tokens on one stream and says when a price has moved by so many per cent.
// `npx node examples/price-bot.ts <chain:mint>… [--percent 1] [--alerts 3]`

import { parseArgs } from 'node:util';
// In your own project: '@mintwire/client'.
import { createClient, followTokens } from '../sdk/src/client.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    percent: { type: 'string', default: '1' },
    /** Ends after so many; never by default. */
    alerts: { type: 'string' },
  },
});
if (positionals.length === 0) {
  console.error('usage: npx node examples/price-bot.ts <chain:mint>… [--percent 1] [--alerts 3]');
  process.exit(1);
}
const client = createClient({
  baseUrl: process.env['MINTWIRE_URL'] ?? 'http://127.0.0.1:8080/v1',
});
const percentMin = Number(values.percent);
const alertsMax = Number(values.alerts ?? Number.POSITIVE_INFINITY);

/** The price of each token at its last alert. */
const marks = new Map<string, number>();
let alerts = 0;

// A lost connection resumes by itself; a reorganised trade no longer counts.
for await (const { chain, mint, token, price } of followTokens(client, {
  mint: positionals,
  events: ['price'],
})) {
  // A float is good enough to compare; never compute amounts from it.
  const now = Number(price?.priceUsd ?? token.priceUsd ?? Number.NaN);
  const id = `${chain}:${mint}`;
  const mark = marks.get(id);
  if (Number.isNaN(now)) continue;
  if (mark === undefined) {
    marks.set(id, now);
    console.log(`${token.symbol} at $${now}, watching for ${percentMin} %`);
    continue;
  }
  const movedPct = (now / mark - 1) * 100;
  if (Math.abs(movedPct) < percentMin) continue;
  marks.set(id, now);
  console.log(
    `${token.symbol} ${movedPct > 0 ? 'up' : 'down'} ${movedPct.toFixed(4)} % to $${now}`,
  );
  alerts += 1;
  if (alerts >= alertsMax) break;
}
