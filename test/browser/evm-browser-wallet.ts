// A wallet in a page under test: announces itself (EIP-6963), signs in this process with a known
// key, and sends to the test chain.

import type { BrowserContext } from 'playwright-core';
import type { Hex } from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { deriveTestAccounts } from '../../devnet/accounts.ts';
import type { TestChain } from '../../devnet/test-chain.ts';

interface WalletCall {
  readonly method: string;
  readonly params?: readonly unknown[];
}

type WalletAnswer =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string } };

interface WalletTransaction {
  readonly to: Hex;
  readonly data: Hex;
  readonly value: Hex;
  readonly gas: Hex;
  readonly maxFeePerGas: Hex;
  readonly maxPriorityFeePerGas: Hex;
}

/** EIP-1193: the user said no. */
const REFUSED = 4001;
const UNSUPPORTED = 4200;

export class EvmBrowserWallet {
  #account: PrivateKeyAccount;
  /** Methods that the user refuses. */
  readonly refused = new Set<string>();
  /** Methods in the order in which the page called them. */
  readonly called: string[] = [];
  /** The chain that the wallet stands on. */
  chainId: number;
  readonly #chain: TestChain;
  #context: BrowserContext | null = null;
  #nonce: number | null = null;

  constructor(chain: TestChain, key: Hex) {
    this.#account = privateKeyToAccount(key);
    this.chainId = chain.deployment.chainId;
    this.#chain = chain;
  }

  /** The account that it stands on. */
  get account(): PrivateKeyAccount {
    return this.#account;
  }

  /** Every page of the context finds the wallet. */
  async install(context: BrowserContext): Promise<void> {
    await context.exposeFunction('askTestWallet', (call: WalletCall) => this.#answer(call));
    await context.addInitScript(ANNOUNCE);
    this.#context = context;
  }

  /** The user chooses another account in the wallet. */
  async changeAccount(index: number): Promise<void> {
    this.#account = privateKeyToAccount(findTestKey(index));
    this.#nonce = null;
    await this.#tellPages('accountsChanged', [this.account.address]);
  }

  /** The user chooses another chain in the wallet, or the page asked for it. */
  async changeChain(chainId: number): Promise<void> {
    this.chainId = chainId;
    await this.#tellPages('chainChanged', `0x${chainId.toString(16)}`);
  }

  async #tellPages(event: string, value: unknown): Promise<void> {
    const call = `tellFromTestWallet(${JSON.stringify(event)}, ${JSON.stringify(value)})`;
    for (const page of this.#context?.pages() ?? []) await page.evaluate(call);
  }

  async #answer({ method, params = [] }: WalletCall): Promise<WalletAnswer> {
    this.called.push(method);
    if (this.refused.has(method)) {
      return { error: { code: REFUSED, message: 'User rejected the request.' } };
    }
    switch (method) {
      case 'eth_requestAccounts':
      case 'eth_accounts':
        return { result: [this.account.address] };
      case 'eth_chainId':
        return { result: `0x${this.chainId.toString(16)}` };
      case 'wallet_switchEthereumChain':
        await this.changeChain(Number((params[0] as { chainId: Hex }).chainId));
        return { result: null };
      case 'personal_sign':
        return { result: await this.account.signMessage({ message: { raw: params[0] as Hex } }) };
      case 'eth_sendTransaction':
        return { result: await this.#send(params[0] as WalletTransaction) };
      default:
        return { error: { code: UNSUPPORTED, message: `${method} is not supported` } };
    }
  }

  async #send(transaction: WalletTransaction): Promise<Hex> {
    const { rpc } = this.#chain;
    this.#nonce ??= Number(
      await rpc.call<Hex>('eth_getTransactionCount', this.account.address, 'pending'),
    );
    const raw = await this.account.signTransaction({
      type: 'eip1559',
      chainId: this.chainId,
      nonce: this.#nonce,
      to: transaction.to,
      data: transaction.data,
      value: BigInt(transaction.value),
      gas: BigInt(transaction.gas),
      maxFeePerGas: BigInt(transaction.maxFeePerGas),
      maxPriorityFeePerGas: BigInt(transaction.maxPriorityFeePerGas),
    });
    const hash = await rpc.call<Hex>('eth_sendRawTransaction', raw);
    this.#nonce += 1;
    await this.#chain.mine();
    return hash;
  }
}

function findTestKey(index: number): Hex {
  const account = deriveTestAccounts()[index];
  if (account === undefined) throw new Error(`there is no test account ${index}`);
  return account.privateKey;
}

/** With the key of a public test account. */
export function createBrowserWallet(chain: TestChain, index: number): EvmBrowserWallet {
  return new EvmBrowserWallet(chain, findTestKey(index));
}

/** Runs in the page, before its own scripts. */
const ANNOUNCE = `{
  const listeners = [];
  globalThis.tellFromTestWallet = (event, value) => {
    for (const one of [...listeners]) if (one.event === event) one.listener(value);
  };
  const provider = Object.freeze({
    on: (event, listener) => void listeners.push({ event, listener }),
    removeListener: (event, listener) => {
      const at = listeners.findIndex((one) => one.event === event && one.listener === listener);
      if (at >= 0) listeners.splice(at, 1);
    },
    request: async (call) => {
      const { result, error } = await askTestWallet(call);
      if (error) throw Object.assign(new Error(error.message), { code: error.code });
      return result;
    },
  });
  const icon = 'data:image/svg+xml,' +
    encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg"><rect width="9" height="9"/></svg>');
  const info = Object.freeze({
    uuid: '350670db-19fa-4704-a166-e52e178b59d2', rdns: 'test.wallet', name: 'Test Wallet', icon,
  });
  const announce = () => dispatchEvent(
    new CustomEvent('eip6963:announceProvider', { detail: Object.freeze({ info, provider }) }),
  );
  addEventListener('eip6963:requestProvider', announce);
  announce();
}`;
