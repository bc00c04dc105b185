// The family of Solana.

import { BUILT_IN_CHAINS, isBuiltIn } from '../../model/chain.ts';
import type { ChainFamily, ChainSource } from '../family.ts';
import { measureSolana } from './blocks/measure-solana.ts';
import {
  parseSignature,
  parseSolanaAddress,
  parseSolanaPool,
  SYSTEM_PROGRAM,
  TRANSACTION_ID_BYTES,
} from './data/solana-ids.ts';
import { SOLANA_WALLETS } from './data/solana-signature.ts';
import { findSolanaMarket } from './solana-market.ts';
import { openSolanaNodes } from './solana-nodes.ts';
import { findSolanaHopBytes, findSolanaSwapCost } from './trading/solana-costs.ts';

/** The part of the genesis hash in the chain's CAIP-2 identifier. */
function findGenesis({ chain }: ChainSource): string {
  const { caip2 } = isBuiltIn(chain) ? BUILT_IN_CHAINS[chain] : BUILT_IN_CHAINS.solana;
  return caip2.slice(caip2.indexOf(':') + 1);
}

export const SOLANA_FAMILY: ChainFamily = {
  name: 'solana',
  addresses: {
    parse: parseSolanaAddress,
    parsePool: parseSolanaPool,
    toShown: (address) => address,
    native: SYSTEM_PROGRAM,
  },
  transactionIds: {
    parse: parseSignature,
    rule: `must be base58 of ${TRANSACTION_ID_BYTES} bytes`,
  },
  wallets: SOLANA_WALLETS,
  findTokenPage: ({ explorerUrl }, token) =>
    explorerUrl === null ? null : `${explorerUrl}/address/${token}`,
  markets: {
    describe: findSolanaMarket,
    open: (source, parts) => openSolanaNodes(source, { ...parts, genesis: findGenesis(source) }),
    measure: (source, parts, signal) =>
      measureSolana(source, { ...parts, genesis: findGenesis(source) }, signal),
    findHook: () => null,
    findSwapCost: findSolanaSwapCost,
    findHopBytes: findSolanaHopBytes,
  },
};
