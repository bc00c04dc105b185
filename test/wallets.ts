// Wallets that sign in: new keys each time, of both families.

import { generateKeyPairSync, sign } from 'node:crypto';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { encodeBase58 } from '../src/lib/base58.ts';

export interface TestWallet {
  readonly address: string;
  readonly chain: string;
  sign(message: string): Promise<string>;
}

export function createEvmWallet(chain = 'base'): TestWallet {
  const account = privateKeyToAccount(generatePrivateKey());
  return {
    address: account.address,
    chain,
    sign: (message) => account.signMessage({ message }),
  };
}

export function createSolanaWallet(encoding: 'base58' | 'base64' = 'base58'): TestWallet {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  return {
    address: encodeBase58(Buffer.from(x, 'base64url')),
    chain: 'solana',
    sign: async (message) => {
      const signature = sign(null, Buffer.from(message), privateKey);
      return encoding === 'base58' ? encodeBase58(signature) : signature.toString('base64');
    },
  };
}
