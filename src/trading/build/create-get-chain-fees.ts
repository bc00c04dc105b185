// GET /chain/fees: the chain's node has what others paid.

import { TOLD_PERCENTILES } from '../../chains/priority.ts';
import type { InputOf, OutputOf } from '../../contract/operation.ts';
import type { getChainFees } from '../../contract/operations/get-chain-fees.ts';
import {
  buildNotReadyError,
  parseFollowedChain,
  parsePool,
} from '../../contract/parse-reference.ts';
import { AppError, buildInvalidInputError } from '../../errors/app-error.ts';
import { sleep } from '../../lib/retry.ts';
import { findFamilyName } from '../../model/chain.ts';
import type { MarketStore } from '../../store/store.ts';
import type { TradeChains } from '../quote/trade-chain.ts';
import { askNode, type BuildChains } from './read-transaction-trades.ts';

interface FeeParts {
  readonly chains: Pick<TradeChains, 'known' | 'list'>;
  readonly builders: BuildChains;
  readonly store: MarketStore;
}

export function createGetChainFees({ chains, builders, store }: FeeParts) {
  return async (input: InputOf<typeof getChainFees>): Promise<OutputOf<typeof getChainFees>> => {
    const chain = parseFollowedChain(chains, input.chain);
    const { addresses } = builders.findFamily(chain);
    const ids = (input.pools ?? []).map((text) => parsePool(addresses, chain, text, 'pools'));
    const node = builders.find(chain);
    if (node === null) throw buildNotReadyError(chain);
    if (ids.length > 0 && node.locksAccounts !== true) {
      const message = 'must be absent on this chain, where transactions lock no accounts';
      throw buildInvalidInputError([{ path: 'pools', message }]);
    }
    const pools = await store.snapshot((reader) => reader.readPools(chain, ids));
    const unknown = ids.find((id) => pools.every(({ pool }) => pool !== id));
    if (unknown !== undefined) {
      throw new AppError('POOL_NOT_FOUND', { pool: addresses.toShown(unknown) });
    }
    const paid = await askNode({ chain, node, sleep }, () => node.readPaidTips(pools));
    const { low, medium, high } = paid.tips;
    return {
      chain,
      unit: findFamilyName(chain) === 'solana' ? 'computeUnit' : 'gas',
      priority: { low: low.toString(), medium: medium.toString(), high: high.toString() },
      percentiles: TOLD_PERCENTILES.map((percentile, index) => ({
        percentile,
        price: (paid.percentiles[index] ?? 0n).toString(),
      })),
      blocks: paid.blockCount,
      basePrice: paid.basePerUnit?.toString() ?? null,
      baseFeeRaw: paid.baseRaw.toString(),
      accounts: paid.accounts.map((account) => addresses.toShown(account)),
    };
  };
}
