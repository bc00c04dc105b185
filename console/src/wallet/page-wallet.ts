// A wallet in the page, whatever standard it speaks. Name and icon are strangers' text.

import type { BuiltTradeReply } from '../api/contract-types.ts';

export type BuiltTransaction = BuiltTradeReply['transactions'][number];

/** The first part of a chain's CAIP-2 name: chains whose accounts are the same. */
export type ChainNamespace = 'eip155' | 'solana';

export interface TradeSender {
  /** The wallet of the session. */
  readonly owner: string;
  /** The slug of the transaction's chain. */
  readonly chain: string;
}

export interface PageWallet {
  /** Of this one alone, until the page is loaded again. */
  readonly uuid: string;
  /** Stays the same over reloads. */
  readonly id: string;
  readonly name: string;
  /** A `data:` URL, or null if the wallet gave something else. */
  readonly icon: string | null;
  readonly namespace: ChainNamespace;
  /** The account that it signs with; may ask the user to choose one. */
  connect(): Promise<string>;
  /**
   * The account that it signs with now; asks nobody. A wallet of which the page may use several
   * accounts gives `wanted` if that is one of them.
   */
  readAddress(wanted?: string): Promise<string>;
  /** The chain that it stands on; null if it stands on none. */
  readCaip2(): Promise<string | null>;
  /** Calls back when its account or chain may have changed; the result ends it. */
  watch(onChange: () => void): () => void;
  /** The signature as the API takes it. */
  signText(text: string, address: string): Promise<string>;
  /** Checks account and chain, has the transaction signed and sent; the transaction's id. */
  send(transaction: BuiltTransaction, sender: TradeSender): Promise<string>;
}

const NAME_MAX = 40;

/** What is shown of a wallet; null if it has no name. */
export function parseLook(look: {
  readonly name?: unknown;
  readonly icon?: unknown;
}): Pick<PageWallet, 'name' | 'icon'> | null {
  const { name, icon } = look;
  if (typeof name !== 'string') return null;
  const isData = typeof icon === 'string' && icon.startsWith('data:image/');
  return { name: name.slice(0, NAME_MAX), icon: isData ? icon : null };
}

/** Hex addresses are the same in any case; base58 ones are not. */
export function isSameAddress(namespace: ChainNamespace, a: string, b: string): boolean {
  return namespace === 'eip155' ? a.toLowerCase() === b.toLowerCase() : a === b;
}
