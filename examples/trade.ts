// A whole trade: sign in, quote, build, review, sign, send, watch it arrive.
// `npm start` in one terminal, `npx node examples/trade.ts` in another.

import { createWalletClient, http } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';

const api = process.env['MINTWIRE_URL'] ?? 'http://127.0.0.1:8080/v1';
// The devnet's first test account. Its key is public: never use it elsewhere.
const key = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';
const wallet = privateKeyToAccount(key);
const chain = 'devnet';

// biome-ignore lint/suspicious/noExplicitAny: an example reads answers as they come.
async function call(path: string, body?: object, token?: string): Promise<any> {
  const bearer = token && { authorization: `Bearer ${token}` };
  const headers = { 'content-type': 'application/json', ...bearer };
  const post = body && { method: 'POST', body: JSON.stringify(body) };
  const response = await fetch(api + path, { ...post, headers });
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

// Sign in: the wallet signs a message that the server wrote.
const challenge = await call('/auth/challenge', { address: wallet.address, chain });
const { challengeId, message } = challenge;
const signature = await wallet.signMessage({ message });
const { token } = await call('/auth/verify', { challengeId, signature, transport: 'token' });

// Quote: what 0.1 ether buys now.
const { mint } = (await call(`/tokens/search?chain=${chain}&q=WIRE&limit=1`)).tokens[0];
const trade = { chain, mint, side: 'buy', amountInRaw: '100000000000000000', slippageBps: 100 };
const { quoteId, input, output } = await call('/trade/quote', trade);
console.log(`${input.amount} ${input.symbol} buys ${output.amount} ${output.symbol}`);

// Build: the trade as unsigned transactions, at the quote's minimum or better. Review it.
const built = await call('/trade/build', { ...trade, quoteId }, token);
console.log(built.summary.join('\n'));

// Sign and send, with your own key and to your own node: the service can do neither.
const stream = await fetch(`${api}/token/stream?chain=${chain}&mint=${mint}&events=trade`);
const { rpcUrl } = (await call('/chains')).chains[0];
const node = createWalletClient({ account: wallet, transport: http(rpcUrl) });
const sent: string[] = [];
for (const one of built.transactions) {
  const amounts = ['value', 'gas', 'maxFeePerGas', 'maxPriorityFeePerGas'];
  const asBigInts = Object.fromEntries(amounts.map((name) => [name, BigInt(one[name])]));
  const serializedTransaction = await wallet.signTransaction({ ...one, ...asBigInts });
  sent.push(await node.sendRawTransaction({ serializedTransaction }));
}

// Watch it: check its status before you ever send anything again.
const readStatus = () => call(`/trade/status?chain=${chain}&txHash=${sent.at(-1)}`);
let fate = await readStatus();
while (fate.status === 'pending' || (fate.status === 'confirmed' && !fate.tradeIds.length)) {
  await new Promise((resolve) => setTimeout(resolve, 200));
  fate = await readStatus();
}
console.log(`${fate.status} in block ${fate.block}`);

// Finally it arrives on the stream.
let text = '';
for await (const part of stream.body!.pipeThrough(new TextDecoderStream())) {
  text += part;
  if (!fate.tradeIds.some((id: string) => text.includes(`"id":"${id}"`))) continue;
  console.log(`on the stream: ${fate.tradeIds}`);
  break;
}
