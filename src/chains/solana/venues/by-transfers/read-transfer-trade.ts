// A trade of an exchange that is read by its transfers.

import { createHash } from 'node:crypto';
import { encodeBase58 } from '../../../../lib/base58.ts';
import type { Address, TransactionId } from '../../../../model/ids.ts';
import { toSolanaAddress, toSolanaPool } from '../../data/solana-ids.ts';
import type { ProgramCall } from '../../data/transaction-calls.ts';
import type { VenueTrade } from '../venue-trade.ts';
import { type Exchange, type ExchangeEvidence, readExchange } from './read-exchange.ts';
import type { TransferVenue } from './transfer-venue.ts';

interface TransferEvidence extends ExchangeEvidence {
  readonly txHash: TransactionId;
}

function findVaults(
  { vaults }: TransferVenue,
  call: ProgramCall,
): readonly [Address, Address] | null {
  if (vaults === undefined) return null;
  const [first, second] = [call.account(vaults[0]), call.account(vaults[1])];
  return first === null || second === null ? null : [first, second];
}

/** A pool whose account is not known is its two vaults: their hash. */
function hashVaults({ vaultIn, vaultOut }: Exchange): Address {
  const pair = [vaultIn, vaultOut].sort().join(' ');
  return toSolanaAddress(encodeBase58(createHash('sha256').update(pair).digest()));
}

function listAccounts(call: ProgramCall): Address[] {
  const all = Array.from({ length: call.accountCount }, (_, index) => call.account(index));
  return [...new Set(all.filter((account) => account !== null))];
}

/** Null if it is not clear what was exchanged. */
export function readTransferTrade(
  venue: TransferVenue,
  evidence: TransferEvidence,
): VenueTrade | null {
  const { call, txHash } = evidence;
  const exchange = readExchange(evidence, findVaults(venue, call));
  if (exchange === null) return null;
  const { vaultIn, vaultOut, mintIn, mintOut, amountIn, amountOut, payer, maker } = exchange;
  const own = venue.pool === undefined ? null : call.account(venue.pool);
  return {
    ...{ venue: venue.name, instruction: 'swap', outer: call.outer, inner: call.inner, txHash },
    ...{ pool: toSolanaPool(own ?? hashVaults(exchange)), user: payer ?? vaultIn },
    ...{ vaultIn, vaultOut, mintIn, mintOut, amountIn, amountOut },
    ...{
      source: 'transfers',
      isVerified: false,
      change: null,
      fold: null,
      before: null,
      heldAfter: null,
    },
    sighting: {
      ...{ venue: venue.name, program: venue.program, maker: maker ?? vaultOut },
      tokens: mintIn < mintOut ? [mintIn, mintOut] : [mintOut, mintIn],
      accounts: own === null ? listAccounts(call) : [own],
    },
  };
}
