// A trade on Solana: sign in, quote, build, sign with @solana/kit, send, watch its status.
// `npm start` in one terminal, `npx node examples/trade-solana.ts` in another.

import {
  createKeyPairSignerFromPrivateKeyBytes,
  createSolanaRpc,
  getBase58Decoder,
  getBase64EncodedWireTransaction,
  getTransactionDecoder,
  partiallySignTransaction,
  signBytes,
} from '@solana/kit';
// In your own project: '@mintwire/client'.
import { createClient, signIn } from '../sdk/src/client.ts';

const baseUrl = process.env['MINTWIRE_URL'] ?? 'http://127.0.0.1:8080/v1';
// The first test account of the embedded chain. Its key is public: never use it elsewhere.
const secret = '5e4f1f2ead1d8d8c326e366da1e3bacb8c7255463504c2631033eb85cfd73fc1';
const { address, keyPair } = await createKeyPairSignerFromPrivateKeyBytes(
  Buffer.from(secret, 'hex'),
);
const client = createClient({ baseUrl });
const chain = 'devnet-solana';

// Sign in: the wallet signs a message that the server wrote.
const wallet = {
  publicKey: { toBase58: () => address },
  signMessage: (message: Uint8Array) => signBytes(keyPair.privateKey, message),
};
await signIn(client, wallet, { chain });

// Quote: what 0.5 SOL buys now.
const [token] = (await client.searchTokens({ chain, q: 'BOLT', limit: 1 })).tokens;
if (token === undefined) throw new Error('the chain has no BOLT');
const { mint } = token;
const order = { chain, mint, side: 'buy', amountInRaw: '500000000', slippageBps: 100 } as const;
const { quoteId, input, output } = await client.quoteTrade(order);
console.log(`${input.amount} ${input.symbol} buys ${output.amount} ${output.symbol}`);

// Build: one transaction, simulated by the server and not signed.
const built = await client.buildTrade({ ...order, quoteId });
console.log(built.summary.join('\n'));
const [unsigned] = built.transactions;
if (unsigned?.type !== 'solana-v0') throw new Error('there is no transaction to sign');

// Sign and send: with your own key and to your own node, for the service can do neither.
const bytes = Buffer.from(unsigned.transaction, 'base64');
const signed = await partiallySignTransaction([keyPair], getTransactionDecoder().decode(bytes));
const [signature] = Object.values(signed.signatures);
if (!signature) throw new Error('the transaction is not signed');
const txHash = getBase58Decoder().decode(signature);
const { rpcUrl = '' } = (await client.getChains()).chains.find(({ slug }) => slug === chain) ?? {};
const wire = getBase64EncodedWireTransaction(signed);
await createSolanaRpc(rpcUrl).sendTransaction(wire, { encoding: 'base64' }).send();

// Its status, until the trade is indexed. Never send again before you have looked here.
const { lastValidBlockHeight } = unsigned;
const asked = { chain, txHash, lastValidBlockHeight, waitMs: 2000 };
const endMs = Date.now() + 120_000;
for (;;) {
  const { status, block, tradeIds, reason } = await client.getTradeStatus(asked);
  if (status === 'reverted') throw new Error(`reverted in slot ${block}: ${reason}`);
  if (status === 'unknown') throw new Error('it was not executed in time, and never will be');
  if (tradeIds.length > 0) {
    console.log(`${status} in slot ${block}: ${tradeIds.join(', ')}`);
    break;
  }
  if (Date.now() >= endMs) throw new Error(`${status} after two minutes; look again later`);
}
