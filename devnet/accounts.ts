// The wallets of the devnet: the well-known test accounts, and wallets without keys.

import { type Address, keccak256, stringToBytes } from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import { TEST_MNEMONIC } from './anvil-node.ts';

export interface TestAccount {
  readonly address: Address;
  readonly privateKey: `0x${string}`;
}

/**
 * An address without a private key. The node impersonates such wallets, so there is no key to leak,
 * and the emulated node saves signing and recovering.
 */
function deriveKeylessAddress(label: string): Address {
  return `0x${keccak256(stringToBytes(`mintwire devnet ${label}`)).slice(-40)}`;
}

/** Deploys everything, owns the tokens and provides the liquidity. */
export const MAKER: Address = deriveKeylessAddress('maker');

export const TRADERS: readonly Address[] = Array.from({ length: 24 }, (_, index) =>
  deriveKeylessAddress(`trader ${index}`),
);

/** Wallets that only ever receive transfers. */
export const BYSTANDERS: readonly Address[] = Array.from({ length: 60 }, (_, index) =>
  deriveKeylessAddress(`bystander ${index}`),
);

/** The test accounts' addresses, as constants because deriving them would delay each start. */
export const TEST_ADDRESSES: readonly Address[] = [
  '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
  '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
  '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc',
  '0x90f79bf6eb2c4f870365e785982e1f101e93b906',
  '0x15d34aaf54267db7d7c367839aaf71a00a2c6a65',
  '0x9965507d1a55bcc2695c58ba16fb37d819b0a4dc',
  '0x976ea74026e726554db657fa54763abd0c3a0aa9',
  '0x14dc79964da2c08b23698b3d3cc7ca32193d9955',
  '0x23618e81e3f5cdf7f54c3d65f7fbc0abf5b21e8f',
  '0xa0ee7a142d267c1f36714e4a8f75612f20a79720',
];

/** The funded accounts of the public test mnemonic, with their publicly known private keys. */
export function deriveTestAccounts(): TestAccount[] {
  return TEST_ADDRESSES.map((address, addressIndex) => {
    const { privateKey } = mnemonicToAccount(TEST_MNEMONIC, { addressIndex }).getHdKey();
    if (privateKey === null) throw new Error('a derived account has no private key');
    return { address, privateKey: `0x${Buffer.from(privateKey).toString('hex')}` };
  });
}
