// A wallet in the page that does as a test says, and records what it was asked to sign.

import assert from 'node:assert/strict';
import { parseEvmWallet, type WalletProvider } from '../../console/src/wallet/evm-wallet.ts';
import type { PageWallet } from '../../console/src/wallet/page-wallet.ts';

interface WalletScript {
  account: string;
  chainId: number;
  /** Methods that the user refuses. */
  readonly refused: Set<string>;
  /** Whether the wallet changes its chain when it is asked to. */
  mayFollow: boolean;
  /** The account that the user chooses with another chain. */
  accountAfterSwitch: string | null;
}

interface ScriptedWallet extends WalletScript {
  readonly wallet: PageWallet;
  /** The transactions that it signed and sent. */
  readonly sent: Record<string, string>[];
}

/** EIP-1193: the user said no. */
const REFUSED = 4001;

export function createScriptedWallet(account: string): ScriptedWallet {
  const script: WalletScript = {
    account,
    chainId: 1337,
    refused: new Set(),
    mayFollow: true,
    accountAfterSwitch: null,
  };
  const sent: Record<string, string>[] = [];
  function handle(method: string, params: readonly unknown[]): unknown {
    if (script.refused.has(method)) throw { code: REFUSED, message: 'User rejected' };
    const [first] = params as [Record<string, string>];
    if (method === 'eth_accounts') return [script.account];
    if (method === 'eth_chainId') return `0x${script.chainId.toString(16)}`;
    if (method === 'wallet_switchEthereumChain') {
      if (script.mayFollow) script.chainId = Number(first['chainId']);
      script.account = script.accountAfterSwitch ?? script.account;
      return null;
    }
    if (method !== 'eth_sendTransaction') throw new Error(`${method} is not expected`);
    sent.push(first);
    return `0xhash${sent.length}`;
  }
  const provider: WalletProvider = {
    request: async ({ method, params = [] }) => handle(method, params),
  };
  const info = { uuid: 'u', rdns: 'test.wallet', name: 'Test' };
  const wallet = parseEvmWallet({ info, provider }) ?? assert.fail('no wallet');
  return Object.assign(script, { wallet, sent });
}
