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
  readonly account: PrivateKeyAccount;
  /** Methods that the user refuses. */
  readonly refused = new Set<string>();
  /** Methods in the order in which the page called them. */
  readonly called: string[] = [];
  /** The chain that the wallet stands on. */
  chainId: number;
  readonly #chain: TestChain;
  #nonce: number | null = null;

  constructor(chain: TestChain, key: Hex) {
    this.account = privateKeyToAccount(key);
    this.chainId = chain.deployment.chainId;
    this.#chain = chain;
  }

  /** Every page of the context finds the wallet. */
  async install(context: BrowserContext): Promise<void> {
    await context.exposeFunction('askTestWallet', (call: WalletCall) => this.#answer(call));
    await context.addInitScript(ANNOUNCE);
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
        this.chainId = Number((params[0] as { chainId: Hex }).chainId);
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

/** With the key of a public test account. */
export function createBrowserWallet(chain: TestChain, index: number): EvmBrowserWallet {
  const account = deriveTestAccounts()[index];
  if (account === undefined) throw new Error(`there is no test account ${index}`);
  return new EvmBrowserWallet(chain, account.privateKey);
}

/** Runs in the page, before its own scripts. */
const ANNOUNCE = `{
  const provider = Object.freeze({
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
