// A challenge and a signature → the wallet that signed, or why there is none.

import type { ChainFamily } from '../chains/family.ts';
import type { WalletSignatures } from '../chains/wallet-signatures.ts';
import type { WalletRecord } from '../model/access-record.ts';
import type { ChainInfo, ChainSlug } from '../model/chain.ts';
import type { WalletId } from '../model/ids.ts';
import type { ContractSignatures } from './contract-signatures.ts';
import type { Peppers } from './peppers.ts';

// The text that a wallet signs: EIP-4361, which Sign-In-With-Solana follows.

interface SignInMessage {
  readonly chain: ChainInfo;
  /** What the chain's family calls an account. */
  readonly accountName: string;
  readonly address: string;
  readonly domain: string;
  readonly uri: string;
  readonly nonce: string;
  readonly issuedAtMs: number;
  readonly expiresAtMs: number;
}

const STATEMENT = 'Sign in to Mintwire. This proves that the wallet is yours and moves nothing.';

/** Every part comes from the server or was checked against a list, so nothing can inject a line. */
export function writeSignInText(message: SignInMessage): string {
  const { chain, accountName } = message;
  return [
    `${message.domain} wants you to sign in with your ${accountName} account:`,
    message.address,
    '',
    STATEMENT,
    '',
    `URI: ${message.uri}`,
    'Version: 1',
    `Chain ID: ${chain.chainId ?? 'mainnet'}`,
    `Nonce: ${message.nonce}`,
    `Issued At: ${new Date(message.issuedAtMs).toISOString()}`,
    `Expiration Time: ${new Date(message.expiresAtMs).toISOString()}`,
  ].join('\n');
}

// Challenge ids: what the server wrote into the text to sign, with a keyed hash. Every node can
// check one, and nothing is stored before it is used: nobody can fill up the challenges of others.

export interface Challenge {
  readonly chain: ChainSlug;
  /** As in the text. */
  readonly address: string;
  /** The origin of the page that signs in. */
  readonly uri: string;
  readonly nonce: string;
  readonly issuedAtMs: number;
}

const FORM = /^ch_([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)$/;

type Parts = [ChainSlug, string, string, string, number];

export function sealChallenge(peppers: Peppers, challenge: Challenge): string {
  const { chain, address, uri, nonce, issuedAtMs } = challenge;
  const parts: Parts = [chain, address, uri, nonce, issuedAtMs];
  const text = Buffer.from(JSON.stringify(parts)).toString('base64url');
  return `ch_${text}.${peppers.mark('challenge', text)}`;
}

/** Null if this service did not issue it. Does not check expiry. */
export function openChallenge(peppers: Peppers, challengeId: string): Challenge | null {
  const [, text = '', mark = ''] = FORM.exec(challengeId) ?? [];
  if (text === '' || !peppers.isMark('challenge', text, mark)) return null;
  // The mark proves that we wrote it.
  const parts = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as Parts;
  const [chain, address, uri, nonce, issuedAtMs] = parts;
  return { chain, address, uri, nonce, issuedAtMs };
}

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
