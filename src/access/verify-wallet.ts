// A challenge and a signature → the wallet that signed, or why there is none.

import type { ChainFamily } from '../chains/family.ts';
import type { WalletSignatures } from '../chains/wallet-signatures.ts';
import type { WalletRecord } from '../model/access-record.ts';
import type { WalletId } from '../model/ids.ts';
import type { Challenge } from './challenge-seal.ts';
import type { ContractSignatures } from './contract-signatures.ts';

interface SignedChallenge {
  readonly challenge: Pick<Challenge, 'chain' | 'address'>;
  /** The whole text to sign, as the server wrote it. */
  readonly text: string;
  readonly signature: string;
  readonly addressGroup: string;
  /** The CAIP-2 identifier of the challenge's chain. */
  readonly caip2: string;
}

/**
 * A wallet's id, or the address of a wallet that signs by its own key; null for anything else. That
 * it was written does not prove that anybody signed for it.
 */
export function parseWalletId(
  text: string,
  families: Iterable<Pick<ChainFamily, 'addresses' | 'wallets'>>,
): WalletId | null {
  const start = text.lastIndexOf(':') + 1;
  const proof = text.slice(0, start);
  for (const { addresses, wallets } of families) {
    const address = addresses.parse(text.slice(start));
    if (address === null) continue;
    const { namespace } = wallets;
    const isOfContract = new RegExp(`^${namespace}:\\d{1,18}:$`).test(proof);
    if (proof !== '' && proof !== `${namespace}:` && !isOfContract) return null;
    const prefix = isOfContract ? proof : `${namespace}:`;
    return `${prefix}${addresses.toShown(address)}` as WalletId;
  }
  return null;
}

/**
 * The wallet's id says how it proved itself. A key of its own is the same wallet on every chain of
 * the family. A contract is a wallet only on its chain: control of the code at an address on one
 * chain must not grant that address on the others.
 */
export async function verifyWallet(
  signed: SignedChallenge,
  wallets: WalletSignatures,
  contracts: ContractSignatures,
): Promise<WalletRecord | 'refused' | 'noNode'> {
  const { challenge, text, signature, addressGroup, caip2 } = signed;
  const { address, chain } = challenge;
  const verdict = await wallets.check({ address, text, signature });
  if (verdict === 'signed') return { id: `${wallets.namespace}:${address}` as WalletId, address };
  if (verdict === 'refused') return 'refused';
  const accepted = await contracts.verify({ chain, address, text, signature }, addressGroup);
  if (accepted === null) return 'noNode';
  return accepted ? { id: `${caip2}:${address}` as WalletId, address } : 'refused';
}
