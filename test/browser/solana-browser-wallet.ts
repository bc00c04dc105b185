// A wallet for Solana in a page under test: registers itself (Wallet Standard), signs in this
// process with a known key, and sends to the test chain.

import assert from 'node:assert/strict';
import { type KeyObject, sign } from 'node:crypto';
import type { BrowserContext } from 'playwright-core';
import { createTestAccount } from '../../devnet/solana/scene.ts';

interface WalletCall {
  readonly method: 'signMessage' | 'signAndSendTransaction';
  readonly bytes: readonly number[];
}

type WalletAnswer = { readonly bytes: readonly number[] } | { readonly refused: true };

/** A transaction with one signature: its count, the signature, the message. */
const SIGNATURE_AT = 1;
const MESSAGE_AT = 65;

export class SolanaBrowserWallet {
  readonly address: string;
  /** Methods that the user refuses. */
  readonly refused = new Set<string>();
  /** Methods in the order in which the page called them. */
  readonly called: string[] = [];
  readonly #key: KeyObject;
  readonly #rpcUrl: string;

  constructor(rpcUrl: string, index: number) {
    const { address, key } = createTestAccount(index);
    this.address = address;
    this.#key = key;
    this.#rpcUrl = rpcUrl;
  }

  /** Every page of the context finds the wallet. */
  async install(context: BrowserContext): Promise<void> {
    await context.exposeFunction('askSolanaWallet', (call: WalletCall) => this.#answer(call));
    await context.addInitScript(`(${REGISTER})(${JSON.stringify(this.address)})`);
  }

  async #answer({ method, bytes }: WalletCall): Promise<WalletAnswer> {
    this.called.push(method);
    if (this.refused.has(method)) return { refused: true };
    const given = Buffer.from(bytes);
    const signature =
      method === 'signMessage' ? sign(null, given, this.#key) : await this.#send(given);
    return { bytes: [...signature] };
  }

  async #send(transaction: Buffer): Promise<Buffer> {
    const signature = sign(null, transaction.subarray(MESSAGE_AT), this.#key);
    signature.copy(transaction, SIGNATURE_AT);
    const params = [transaction.toString('base64'), { encoding: 'base64' }];
    const response = await fetch(this.#rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'sendTransaction', params }),
    });
    const { error } = (await response.json()) as { readonly error?: unknown };
    assert.equal(error, undefined);
    return signature;
  }
}

/** Runs in the page, before its own scripts. */
const REGISTER = `(address) => {
  const chains = ['solana:localnet'];
  const account = Object.freeze({ address, publicKey: new Uint8Array(32), chains, features: [] });
  let accounts = [];
  const ask = async (method, bytes) => {
    const answer = await askSolanaWallet({ method, bytes: [...bytes] });
    // The standard has no codes; wallets use those of EIP-1193.
    if (answer.refused) throw Object.assign(new Error('User rejected'), { code: 4001 });
    return Uint8Array.from(answer.bytes);
  };
  const features = {
    'standard:connect': {
      version: '1.0.0',
      connect: async (input) => {
        if (!input?.silent) accounts = [account];
        return { accounts };
      },
    },
    'standard:events': { version: '1.0.0', on: () => () => undefined },
    'solana:signMessage': {
      version: '1.1.0',
      signMessage: async ({ message }) =>
        [{ signedMessage: message, signature: await ask('signMessage', message) }],
    },
    'solana:signAndSendTransaction': {
      version: '1.0.0',
      supportedTransactionVersions: ['legacy', 0],
      signAndSendTransaction: async ({ transaction, chain }) => {
        if (!chains.includes(chain)) throw new Error('no such chain');
        return [{ signature: await ask('signAndSendTransaction', transaction) }];
      },
    },
  };
  const icon = 'data:image/svg+xml,' +
    encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg"><circle cx="4" cy="4" r="4"/></svg>');
  const wallet = Object.freeze({
    version: '1.0.0', name: 'Test Solana Wallet', icon, chains, features,
    get accounts() { return accounts; },
  });
  const register = (registry) => registry.register(wallet);
  addEventListener('wallet-standard:app-ready', ({ detail }) => register(detail));
  dispatchEvent(new CustomEvent('wallet-standard:register-wallet', { detail: register }));
}`;
