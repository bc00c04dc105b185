// Sign-in with the SDK on a real server, with every kind of wallet.

import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import { test } from 'node:test';
import { createWalletClient, custom, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { createClient, isProblem, type SignInWallet, signIn } from '../../sdk/src/client.ts';
import { encodeBase58 } from '../../src/lib/base58.ts';
import { startAccess } from '../start-access.ts';

const account = privateKeyToAccount(generatePrivateKey());

/** A browser's wallet on Base. */
const provider = {
  request: async ({ method, params = [] }: { method: string; params?: readonly unknown[] }) => {
    if (method === 'eth_requestAccounts') return [account.address.toLowerCase()];
    if (method === 'eth_chainId') return '0x2105';
    assert.equal(method, 'personal_sign');
    const [message, address] = params as [Hex, string];
    assert.equal(address.toLowerCase(), account.address.toLowerCase());
    return account.signMessage({ message: { raw: message } });
  },
};

function createSolana() {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  const address = encodeBase58(Buffer.from(x, 'base64url'));
  return { address, sign: (bytes: Uint8Array) => new Uint8Array(sign(null, bytes, privateKey)) };
}

const solana = createSolana();
const evmId = `eip155:${account.address}`;
const solanaId = `solana:${solana.address}`;

const WALLETS: readonly { name: string; wallet: SignInWallet; id: string; chain: string }[] = [
  { name: 'a viem account', wallet: account, id: evmId, chain: 'ethereum' },
  {
    name: 'a viem wallet client',
    wallet: createWalletClient({ account, transport: custom(provider) }),
    id: evmId,
    chain: 'ethereum',
  },
  { name: 'an EIP-1193 provider', wallet: provider, id: evmId, chain: 'base' },
  {
    name: 'a Solana wallet',
    wallet: {
      publicKey: { toBase58: () => solana.address },
      signMessage: async (message: Uint8Array) => solana.sign(message),
    },
    id: solanaId,
    chain: 'solana',
  },
  {
    name: 'a Solana wallet that wraps its signature',
    wallet: {
      publicKey: { toBase58: () => solana.address },
      signMessage: async (message: Uint8Array) => ({ signature: solana.sign(message) }),
    },
    id: solanaId,
    chain: 'solana',
  },
  {
    name: 'a wallet of the Wallet Standard',
    wallet: {
      accounts: [{ address: solana.address }],
      features: {
        'solana:signMessage': {
          signMessage: async ({ message }: { message: Uint8Array }) => [
            { signature: solana.sign(message) },
          ],
        },
      },
    },
    id: solanaId,
    chain: 'solana',
  },
];

for (const { name, wallet, id, chain } of WALLETS) {
  test(`${name} signs in, and its session works until it is ended`, async (t) => {
    const { server } = await startAccess(t);
    const client = createClient({ baseUrl: `${server.origin}/v1` });
    const session = await signIn(client, wallet);
    assert.deepEqual([session.wallet.id, session.wallet.chain], [id, chain]);
    assert.match(session.token ?? '', /^mw_sess_/);
    assert.equal((await client.getMe()).wallet.id, id);
    const { key = '' } = await client.createKey({ name: 'a key' });
    const keyed = createClient({ baseUrl: `${server.origin}/v1`, apiKey: key });
    assert.equal((await keyed.getEntitlements()).level, 'key');
    assert.deepEqual(await client.endSession(), { ended: 1 });
    await assert.rejects(client.getMe(), (error) => isProblem(error, 'WALLET_SESSION_REQUIRED'));
  });
}

test('a wallet that signs another text is refused', async (t) => {
  const { server } = await startAccess(t);
  const client = createClient({ baseUrl: `${server.origin}/v1` });
  const liar = { ...account, signMessage: () => account.signMessage({ message: 'other' }) };
  await assert.rejects(signIn(client, liar), (error) => isProblem(error, 'INVALID_SIGNATURE'));
});

test('a wallet without an account is refused before the server is asked', async () => {
  const client = createClient({ baseUrl: 'http://127.0.0.1:1/v1' });
  const wallets: SignInWallet[] = [
    { request: async () => [] },
    { accounts: [], features: {} },
    { accounts: [{ address: 'A' }], features: {} },
  ];
  for (const wallet of wallets) await assert.rejects(signIn(client, wallet), TypeError);
});
