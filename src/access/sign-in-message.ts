// The text that a wallet signs: EIP-4361, which Sign-In-With-Solana follows.

import type { ChainInfo } from '../model/chain.ts';

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
