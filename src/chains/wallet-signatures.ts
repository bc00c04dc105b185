// How wallets of a family prove who they are: the signatures that they make.

import type { Address } from '../model/ids.ts';

/** How wallets of the family sign texts. */
export interface WalletSignatures {
  /** What an account is called in the text that its owner signs. */
  readonly accountName: string;
  /** The CAIP-2 namespace: a key is the same wallet on every chain of the family. */
  readonly namespace: string;
  /** Whether there can be a key for the address; absent if every address may be a wallet's. */
  canSign?(address: Address): boolean;
  /**
   * `signed`: by the wallet's own key. `refused`: the signature cannot be valid. `askChain`: not by
   * the wallet's key, but a contract at that address may accept it.
   */
  check(signed: SignedText): Promise<'signed' | 'refused' | 'askChain'>;
}

export interface SignedText {
  /** In the form that people are shown. */
  readonly address: string;
  readonly text: string;
  /** As the wallet gave it. */
  readonly signature: string;
}
