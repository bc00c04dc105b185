// What is fixed of Solana's markets: the assets that price others, the venues, the vaults.

import type { ChainAssets } from '../adapter.ts';
import type { ChainMarket } from '../chain-nodes.ts';
import type { ChainSource } from '../family.ts';
import { SYSTEM_PROGRAM, toSolanaAddress, toSolanaPool, WRAPPED_SOL } from './data/solana-ids.ts';
import { SOLANA_COSTS } from './trading/solana-costs.ts';
import { SWAP_ENCODERS, VAULT_AUTHORITIES, VENUES_BY_PROGRAM } from './venues/solana-venues.ts';

/** USDC and USDT. */
const STABLE = [
  'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB',
];

/** Pools of SOL against USDC and USDT: Orca, Raydium CLMM and v4, Meteora DLMM. */
const ANCHORS = [
  'Czfq3xZZDmsdGdUyrNLtRhGc47cXcZtLG4crryfu44zE',
  '3ucNos4NbumPLZNWztqGHNFFgkHeRMBQAVemeeomsUxv',
  'BGm1tav58oGcsQJehL9WXBFXF7D27vZsKefj4xJKD5Y',
  '58oQChx4yWmvKdwLLZzBi4ChoCc2fqCUWBkwMihLYQo2',
  'ExcBWu8fGPdJiaF1b1z3iEef38sjQJks8xvj6M85pPY6',
];

/** The incinerator, whose accounts anyone may burn. */
const BURN = ['1nc1nerator11111111111111111111111111111111'];

const ASSETS: ChainAssets = {
  coin: SYSTEM_PROGRAM,
  coinUnit: { symbol: 'SOL', decimals: 9 },
  native: new Set([SYSTEM_PROGRAM, WRAPPED_SOL]),
  stable: new Set(STABLE.map(toSolanaAddress)),
  anchorPools: ANCHORS.map((pool) => toSolanaPool(toSolanaAddress(pool))),
};

const SOLANA_MARKET: ChainMarket = {
  assets: ASSETS,
  wrapped: WRAPPED_SOL,
  venues: [...new Set(Array.from(VENUES_BY_PROGRAM.values(), ({ name }) => name))],
  tradedVenues: new Set(SWAP_ENCODERS.keys()),
  vaults: new Set(VAULT_AUTHORITIES),
  burnAddresses: new Set(BURN.map(toSolanaAddress)),
  hasMints: true,
  costs: SOLANA_COSTS,
};

/** What the file of an embedded chain says of its assets. */
interface EmbeddedAssets {
  readonly stable: readonly string[];
  readonly anchorPools: readonly string[];
}

function describeEmbedded({ stable, anchorPools }: EmbeddedAssets): ChainMarket {
  const assets = {
    ...ASSETS,
    stable: new Set(stable.map(toSolanaAddress)),
    anchorPools: anchorPools.map((pool) => toSolanaPool(toSolanaAddress(pool))),
  };
  return { ...SOLANA_MARKET, assets };
}

export function findSolanaMarket({ devnet }: Pick<ChainSource, 'devnet'>): ChainMarket {
  return devnet === null ? SOLANA_MARKET : describeEmbedded(devnet as EmbeddedAssets);
}
