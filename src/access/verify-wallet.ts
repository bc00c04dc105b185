// Whose signature it is: a challenge and a signature → the wallet that proved itself, or none.

import type { ChallengeRecord, WalletRecord } from '../model/access-record.ts';
import { CHAINS } from '../model/chain.ts';
import type { ContractSignatures } from './contract-signatures.ts';
import { isHex, recoverEvmSignature } from './evm-signature.ts';
import { verifySolanaSignature } from './solana-signature.ts';

interface SignedChallenge {
  readonly challenge: ChallengeRecord;
  readonly signature: string;
  readonly addressGroup: string;
}

/**
 * The wallet's id says how it proved itself. A key of its own is the same wallet on every EVM
 * chain. A contract is a wallet of its chain alone: whoever can put code at an address on one chain
 * must not become the owner of that address on the others.
 */
export async function verifyWallet(
  signed: SignedChallenge,
  contracts: ContractSignatures,
): Promise<WalletRecord | null> {
  const { challenge, signature } = signed;
  const { address, message: text } = challenge;
  const chain = CHAINS[challenge.chain];
  if (chain.family === 'solana') {
    const genuine = verifySolanaSignature({ address, text, signature });
    return genuine ? { id: `solana:${address}`, address } : null;
  }
  if (!isHex(signature)) return null;
  const recovery = await recoverEvmSignature({ address, text, signature });
  if (recovery === 'own') return { id: `eip155:${address}`, address };
  if (recovery === 'altered') return null;
  const query = { chain: chain.slug, address, text, signature };
  const accepted = await contracts.verify(query, signed.addressGroup);
  return accepted ? { id: `eip155:${chain.chainId}:${address}`, address } : null;
}
