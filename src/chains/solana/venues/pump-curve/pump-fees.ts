// pump's fees by market value, as its fee program has them.

import type { Address } from '../../../../model/ids.ts';
import type { AccountBytes } from '../../data/account-bytes.ts';
import { findProgramAddress, toSeed } from '../../data/program-address.ts';
import { toSolanaAddress } from '../../data/solana-ids.ts';

const FEE_CONFIG = '8f3492bbdb7b4c9b';
export const FEE_PROGRAM = toSolanaAddress('pfeeUxB6jkeY1Hxd7CsFCAjcbHA9rWtchMGdZ6VojVZ');
const FLAT_OFFSET = 41;
const TIERS_OFFSET = 65;
const TIER_BYTES = 40;

interface PumpFees {
  readonly lpBps: number;
  readonly protocolBps: number;
  readonly creatorBps: number;
}

interface PumpFeeTier extends PumpFees {
  /** The least market value, in the quote token's smallest unit. */
  readonly from: bigint;
}

interface PumpFeeConfig {
  readonly flat: PumpFees;
  /** Ascending. */
  readonly tiers: readonly PumpFeeTier[];
}

/** The configuration of one of pump's programs. */
export function findFeeConfigAddress(program: Address): Address {
  return findProgramAddress(FEE_PROGRAM, ['fee_config', toSeed(program)]);
}

function readFees(data: AccountBytes, at: number): PumpFees {
  const [lpBps = 0, protocolBps = 0, creatorBps = 0] = [0, 8, 16].map((offset) =>
    Number(data.u64(at + offset)),
  );
  return { lpBps, protocolBps, creatorBps };
}

/** Null if the account is not a configuration. */
export function readFeeConfig(data: AccountBytes | null): PumpFeeConfig | null {
  if (data?.discriminator() !== FEE_CONFIG) return null;
  const tiers = Array.from({ length: data.u32(TIERS_OFFSET) }, (_, index) => {
    const at = TIERS_OFFSET + 4 + index * TIER_BYTES;
    return { from: data.u128(at), ...readFees(data, at + 16) };
  });
  return { flat: readFees(data, FLAT_OFFSET), tiers };
}

/** Fees, and the market values that they hold for. */
interface PumpFeeStep extends PumpFees {
  readonly feesFrom: bigint;
  readonly feesBelow: bigint;
}

/** No market value is as high. */
const VALUE_END = 1n << 128n;

/** Fees of pools whose market value does not matter. */
export function pickFlatFees({ flat }: PumpFeeConfig): PumpFeeStep {
  return { ...flat, feesFrom: 0n, feesBelow: VALUE_END };
}

/** The first tier also holds below its threshold. */
export function pickFeeStep(config: PumpFeeConfig, marketValue: bigint): PumpFeeStep {
  const { tiers } = config;
  const index = Math.max(
    0,
    tiers.findLastIndex(({ from }) => from <= marketValue),
  );
  const tier = tiers[index];
  if (tier === undefined) return pickFlatFees(config);
  const { lpBps, protocolBps, creatorBps, from } = tier;
  const feesFrom = index === 0 ? 0n : from;
  const feesBelow = tiers[index + 1]?.from ?? VALUE_END;
  return { lpBps, protocolBps, creatorBps, feesFrom, feesBelow };
}
