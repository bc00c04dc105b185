// A wallet's portfolio on every chain that the server follows: what it holds, what it earned.
// `npx node examples/portfolio.ts <wallet>`

// In your own project: '@mintwire/client'.
import { createClient, eachPage, eachRow } from '../sdk/src/client.ts';

const [wallet] = process.argv.slice(2);
if (wallet === undefined) {
  console.error('usage: npx node examples/portfolio.ts <wallet>');
  process.exit(1);
}
const client = createClient({
  baseUrl: process.env['MINTWIRE_URL'] ?? 'http://127.0.0.1:8080/v1',
});

const toUsd = (text: string | null) => (text === null ? 'unknown' : `$${Number(text).toFixed(2)}`);
const isEvm = wallet.startsWith('0x');

for (const { slug: chain, name, caip2 } of (await client.getChains()).chains) {
  if (caip2.startsWith('eip155:') !== isEvm) continue;
  console.log(`\n${name}`);
  for await (const { native, balances } of eachPage(client, 'getWalletBalances', {
    chain,
    wallet,
  })) {
    for (const { symbol, amount, valueUsd } of [native, ...balances]) {
      console.log(`  ${symbol ?? '?'} ${amount ?? '?'} (${toUsd(valueUsd)})`);
    }
  }
  // Tokens that it has traded, with profit and loss by average cost.
  for await (const one of eachRow(client, 'getWalletPositions', { chain, wallet })) {
    const note = one.complete ? '' : ', cost partly unknown';
    const [realised, open] = [toUsd(one.realisedUsd), toUsd(one.unrealisedUsd)];
    console.log(`  ${one.symbol ?? one.mint}: realised ${realised}, open ${open}${note}`);
  }
  let trades = 0;
  for await (const trade of eachRow(client, 'getWalletTrades', { chain, wallet })) {
    trades += 1;
    if (trades > 5) break;
    const when = new Date(trade.timestamp).toISOString();
    console.log(`  ${when} ${trade.side} ${trade.amount} ${trade.token.symbol}`);
  }
}
