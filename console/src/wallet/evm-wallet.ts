// A wallet of EVM chains (EIP-1193), as it is announced (EIP-6963).

import { toHexText } from '../../../sdk/src/wallet-sign-in.ts';
import { texts } from '../texts.ts';
import { isSameAddress, type PageWallet, parseLook } from './page-wallet.ts';
import { askWallet, WalletError } from './wallet-error.ts';

/** EIP-1193. */
export interface WalletProvider {
  request(call: {
    readonly method: string;
    readonly params?: readonly unknown[];
  }): Promise<unknown>;
  /** A wallet may have no events: it is asked before each signature all the same. */
  on?(event: string, listener: () => void): unknown;
  removeListener?(event: string, listener: () => void): unknown;
}

/** EIP-1193. Both come without the page asking. */
const CHANGE_EVENTS = ['accountsChanged', 'chainChanged'] as const;

export interface EvmAnnouncement {
  readonly info?: Partial<Record<'uuid' | 'rdns' | 'name' | 'icon', unknown>>;
  readonly provider?: WalletProvider;
}

/** Null if what was announced is no wallet. */
export function parseEvmWallet({ info = {}, provider }: EvmAnnouncement): PageWallet | null {
  const look = parseLook(info);
  const { uuid, rdns } = info;
  if (look === null || typeof uuid !== 'string' || typeof rdns !== 'string') return null;
  if (typeof provider?.request !== 'function') return null;
  const ask = (method: string, params: readonly unknown[] = []) =>
    askWallet(() => provider.request({ method, params }));
  const readAccount = async (method: 'eth_requestAccounts' | 'eth_accounts') => {
    const accounts = await ask(method);
    const [address] = Array.isArray(accounts) ? accounts : [];
    if (typeof address !== 'string') throw new WalletError(texts.account.noAccount);
    return address;
  };
  return {
    ...look,
    uuid,
    id: rdns,
    namespace: 'eip155',
    connect: () => readAccount('eth_requestAccounts'),
    readAddress: () => readAccount('eth_accounts'),
    readCaip2: async () => `eip155:${Number(await ask('eth_chainId'))}`,
    findSigner: async (address) => ({
      address,
      signMessage: async ({ message }: { readonly message: string }) => {
        if (!isSameAddress('eip155', await readAccount('eth_accounts'), address)) {
          throw new WalletError(texts.account.otherAccount);
        }
        return String(await ask('personal_sign', [toHexText(message), address]));
      },
    }),
    findSender: async () => ({ request: (call) => provider.request(call) }),
    watch: (onChange) => {
      for (const event of CHANGE_EVENTS) provider.on?.(event, onChange);
      return () => {
        for (const event of CHANGE_EVENTS) provider.removeListener?.(event, onChange);
      };
    },
  };
}
