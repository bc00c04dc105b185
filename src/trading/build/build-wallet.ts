// Whether a signed-in wallet can trade on a chain, and as which address.

import { AppError } from '../../errors/app-error.ts';
import type { WalletRecord } from '../../model/access-record.ts';
import type { AddressCodec } from '../../model/address-codec.ts';
import type { ChainInfo } from '../../model/chain.ts';
import type { Address } from '../../model/ids.ts';

/**
 * A key is the same wallet on every chain of its family. A contract wallet is itself on its own
 * chain only: elsewhere its address may belong to someone else.
 */
export function findTraderAddress(
  wallet: WalletRecord,
  { slug: chain, caip2 }: ChainInfo,
  addresses: AddressCodec,
): Address {
  const [namespace] = caip2.split(':');
  const isHere = [namespace, caip2].some((owner) => wallet.id === `${owner}:${wallet.address}`);
  const address = isHere ? addresses.parse(wallet.address) : null;
  if (address === null) throw new AppError('WALLET_CHAIN_MISMATCH', { chain });
  return address;
}
