// A wallet in the page, whatever standard it speaks. Name and icon are strangers' text.

import type { TradeWallet } from '../../../sdk/src/trade-wallet-sender.ts';
import type { SignInWallet } from '../../../sdk/src/wallet-sign-in.ts';

/** The first part of a chain's CAIP-2 name: chains whose accounts are the same. */
export type ChainNamespace = 'eip155' | 'solana';

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
  /** What the SDK signs in with; refuses if the wallet has left the account. */
  findSigner(address: string): Promise<SignInWallet>;
  /** What the SDK trades with, on the chain of that slug. */
  findSender(owner: string, chain: string): Promise<TradeWallet>;
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
