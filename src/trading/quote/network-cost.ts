// The most that the swap of a priced trade can cost, in the native coin.

import type { DataFees, NetworkFees } from '../../chains/chain-nodes.ts';

interface TradeSize {
  /** In cost units, by model. */
  readonly costUnits: bigint;
  /** Its length, by model. */
  readonly dataBytes: number;
  /** How many token accounts the wallet may have to open. */
  readonly accountCount?: number;
}

interface NetworkCost {
  /** With what a rollup charges as units. */
  readonly units: bigint;
  /** What a rollup charges beside the units. */
  readonly dataFeeRaw: bigint;
  readonly totalRaw: bigint;
  /** On chains that charge beside the units: the parts of the total. */
  readonly parts?: {
    readonly unitsRaw: bigint;
    readonly baseRaw: bigint;
    readonly accountsRaw: bigint;
  };
}

/** On the line through both samples. */
function interpolate({ short, long }: Extract<DataFees, { short: unknown }>, bytes: number) {
  const rise = (long.charged - short.charged) * BigInt(bytes - short.bytes);
  const charged = short.charged + rise / BigInt(long.bytes - short.bytes);
  return charged < 0n ? 0n : charged;
}

/** Null if the node has not reported its fees, or a rollup's node not all of them. */
export function computeNetworkCost(
  { costUnits, dataBytes, accountCount = 0 }: TradeSize,
  fees: NetworkFees | null,
): NetworkCost | null {
  if (fees === null || fees.data.kind === 'unknown') return null;
  const { data, perUnitMax } = fees;
  const charged = data.kind === 'none' ? 0n : interpolate(data, dataBytes);
  const units = costUnits + (data.kind === 'units' ? charged : 0n);
  const dataFeeRaw = data.kind === 'coin' ? charged : 0n;
  if (fees.flat === undefined) {
    return { units, dataFeeRaw, totalRaw: units * perUnitMax + dataFeeRaw };
  }
  const { unitsPerPrice, baseRaw, accountRaw } = fees.flat;
  const unitsRaw = (units * perUnitMax + unitsPerPrice - 1n) / unitsPerPrice;
  const accountsRaw = accountRaw * BigInt(accountCount);
  const totalRaw = unitsRaw + dataFeeRaw + baseRaw + accountsRaw;
  return { units, dataFeeRaw, totalRaw, parts: { unitsRaw, baseRaw, accountsRaw } };
}
