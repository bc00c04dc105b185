// The accounts that the chain begins with: what the stand-ins' owners would have written (fees,
// settings), names of SPL mints, and lamports of the wallets. Everything else is made by
// transactions.

import {
  CPMM,
  discriminate,
  encodeText,
  findAddress,
  findCpmmConfig,
  keyBytes,
  PUMP,
  PUMP_FEES,
  SYSTEM,
  u32,
  u64,
} from './instructions.ts';
import { PUMP_FEE_CONFIG, PUMP_GLOBAL } from './pump-instructions.ts';
import type { ChainAccount, Svm } from './svm.ts';

const METAPLEX = 'metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s';

/** Of the mint, and where its name is written. */
export interface NamedMint {
  readonly mint: string;
  readonly name: string;
  readonly symbol: string;
}

export interface Genesis {
  readonly wallets: ReadonlyMap<string, bigint>;
  readonly named: readonly NamedMint[];
  /** Who gets the curves' fees, and who moves sold-out curves to pools. */
  readonly feeRecipient: string;
  readonly withdrawAuthority: string;
}

/** In millionths: the venue's usual tier. */
const CPMM_FEES = { trade: 2500, protocol: 120_000, fund: 40_000 };
export const CPMM_CONFIG = findCpmmConfig(0);

const CURVE_START = {
  virtualToken: 1_073_000_000_000_000n,
  virtualQuote: 30_000_000_000n,
  realToken: 793_100_000_000_000n,
  supply: 1_000_000_000_000_000n,
};
const CURVE_BPS = { protocol: 95, creator: 30 };

function buildCpmmConfig(): Buffer {
  const data = Buffer.alloc(236);
  data.set(discriminate('account', 'AmmConfig'));
  const { trade, protocol, fund } = CPMM_FEES;
  for (const [index, rate] of [trade, protocol, fund].entries())
    data.set(u64(rate), 12 + 8 * index);
  return data;
}

function buildGlobal({ feeRecipient, withdrawAuthority }: Genesis): Buffer {
  const data = Buffer.alloc(740);
  data.set(discriminate('account', 'Global'));
  data.writeUInt8(1, 8);
  data.set(keyBytes(feeRecipient), 41);
  const { virtualToken, virtualQuote, realToken, supply } = CURVE_START;
  const amounts = [virtualToken, virtualQuote, realToken, supply, BigInt(CURVE_BPS.protocol)];
  for (const [index, amount] of amounts.entries()) data.set(u64(amount), 73 + 8 * index);
  data.set(keyBytes(withdrawAuthority), 113);
  return data;
}

/** One tier, which holds at every market value. */
function buildFeeConfig(): Buffer {
  const rates = Buffer.concat([u64(0), u64(CURVE_BPS.protocol), u64(CURVE_BPS.creator)]);
  const head = Buffer.alloc(41);
  head.set(discriminate('account', 'FeeConfig'));
  return Buffer.concat([head, rates, u32(1), Buffer.alloc(16), rates]);
}

/** As Metaplex writes it, as far as names are read. */
function buildMetadata({ mint, name, symbol }: NamedMint): Buffer {
  const head = Buffer.concat([Uint8Array.of(4), Buffer.alloc(32), keyBytes(mint)]);
  return Buffer.concat([head, ...[name, symbol, ''].map(encodeText)]);
}

export function buildGenesisAccounts(svm: Svm, genesis: Genesis): Map<string, ChainAccount> {
  const accounts = new Map<string, ChainAccount>();
  const add = (address: string, owner: string, data: Buffer) => {
    const lamports = svm.findRent(data.length);
    accounts.set(address, { lamports, owner, data, isExecutable: false });
  };
  add(CPMM_CONFIG, CPMM, buildCpmmConfig());
  add(PUMP_GLOBAL, PUMP, buildGlobal(genesis));
  add(PUMP_FEE_CONFIG, PUMP_FEES, buildFeeConfig());
  for (const named of genesis.named) {
    const seeds = ['metadata', keyBytes(METAPLEX), keyBytes(named.mint)];
    add(findAddress(METAPLEX, seeds), METAPLEX, buildMetadata(named));
  }
  for (const [address, lamports] of genesis.wallets) {
    const data = Buffer.alloc(0);
    accounts.set(address, { lamports, owner: SYSTEM, data, isExecutable: false });
  }
  return accounts;
}
