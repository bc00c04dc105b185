// A whole trade: sign in, quote, build, review, sign, send, watch it arrive.
// `npm start` in one terminal, `npx node examples/trade.ts` in another.

import { privateKeyToAccount } from 'viem/accounts';
// In your own project: '@mintwire/client'.
import { createClient, signIn, trade } from '../sdk/src/client.ts';

const baseUrl = process.env['MINTWIRE_URL'] ?? 'http://127.0.0.1:8080/v1';
// The devnet's first test account. Its key is public: never use it elsewhere.
const key = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';
const account = privateKeyToAccount(key);
const client = createClient({ baseUrl });
const chain = 'devnet';

// Sign in: the wallet signs a message that the server wrote.
await signIn(client, account);

// Quote: what 0.1 ether buys now.
const [token] = (await client.searchTokens({ chain, q: 'WIRE', limit: 1 })).tokens;
if (token === undefined) throw new Error('the devnet has no WIRE');
const { mint } = token;
const order = { chain, mint, side: 'buy', amountInRaw: '100000000000000000' } as const;
const { quoteId, input, output } = await client.quoteTrade({ ...order, slippageBps: 100 });
console.log(`${input.amount} ${input.symbol} buys ${output.amount} ${output.symbol}`);

// Open the stream before the trade, to see it arrive.
const events = client.getTokenStream({ chain, mint: [mint], events: ['trade'] });
await events.next();

// Build, review, sign and send: with your own key and to your own node, for the service can do
// neither. Then its status is followed until the trade is indexed.
const { rpcUrl = '' } = (await client.getChains()).chains.find(({ slug }) => slug === chain) ?? {};
const { status, block, tradeIds } = await trade(
  client,
  { ...order, slippageBps: 100, quoteId },
  {
    wallet: { account, rpcUrl },
    review: ({ summary }) => {
      console.log(summary.join('\n'));
      return true;
    },
  },
);
console.log(`${status} in block ${block}`);

// Finally it arrives on the stream.
for await (const { event, data } of events) {
  if (event !== 'trade' || !tradeIds.includes(data.id)) continue;
  console.log(`on the stream: ${data.id}`);
  break;
}
