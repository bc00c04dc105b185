// A challenge and a signature → the wallet that signed, or null.

import type { WalletSignatures } from '../chains/wallet-signatures.ts';
import type { ChallengeRecord, WalletRecord } from '../model/access-record.ts';
import { CHAINS } from '../model/chain.ts';
import type { WalletId } from '../model/ids.ts';
import type { ContractSignatures } from './contract-signatures.ts';

interface SignedChallenge {
  readonly challenge: ChallengeRecord;
  readonly signature: string;
  readonly addressGroup: string;
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
): Promise<WalletRecord | null> {
  const { challenge, signature, addressGroup } = signed;
  const { address, message: text, chain } = challenge;
  const verdict = await wallets.check({ address, text, signature });
  if (verdict === 'signed') return { id: `${wallets.namespace}:${address}` as WalletId, address };
  if (verdict === 'refused') return null;
  const accepted = await contracts.verify({ chain, address, text, signature }, addressGroup);
  return accepted ? { id: `${CHAINS[chain].caip2}:${address}` as WalletId, address } : null;
}
