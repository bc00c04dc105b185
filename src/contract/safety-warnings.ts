// What is known of a token's safety, in words: for quotes and for the token itself.

import type { ChainSlug } from '../model/chain.ts';
import type { Address } from '../model/ids.ts';

type SafetyWarning = readonly [
  code: 'TAXED_TOKEN' | 'UNSELLABLE' | 'SELL_GAS_HIGH',
  message: string,
];

interface MeasuredToken {
  readonly buyTaxBps: number | null;
  readonly sellTaxBps: number | null;
  readonly sellable: boolean | null;
  /** Set only if unusually many. */
  readonly sellUnits?: number;
}

/** `unitName` is what the chain calls a unit of a transaction's cost. */
export function* warnOfMeasured(
  { buyTaxBps, sellTaxBps, sellable, sellUnits }: MeasuredToken,
  unitName: string,
): Generator<SafetyWarning> {
  if ((buyTaxBps ?? 0) >= 1 || (sellTaxBps ?? 0) >= 1) {
    const buy = (buyTaxBps ?? 0) / 100;
    const sell = (sellTaxBps ?? 0) / 100;
    yield ['TAXED_TOKEN', `The token deducts ${buy} % when bought and ${sell} % when sold.`];
  }
  if (sellable === false) yield ['UNSELLABLE', 'Selling the token failed in simulation.'];
  if (sellable === null) yield ['UNSELLABLE', 'Neither buying nor selling worked in simulation.'];
  if (sellUnits !== undefined) {
    const units = `${sellUnits.toLocaleString('en-US')} ${unitName}`;
    yield ['SELL_GAS_HIGH', `A sale uses ${units} in the token contract.`];
  }
}

/** Powers of somebody over the tokens of all holders. */
interface MintPowers {
  readonly canMint: boolean;
  readonly canFreeze: boolean;
  readonly canTake: boolean;
}

type PowerWarning = readonly [
  code: 'MINT_AUTHORITY' | 'FREEZE_AUTHORITY' | 'PERMANENT_DELEGATE',
  message: string,
];

export function* warnOfPowers(powers: MintPowers): Generator<PowerWarning> {
  if (powers.canMint) yield ['MINT_AUTHORITY', 'More of the token can be minted at any time.'];
  if (powers.canFreeze) {
    yield ['FREEZE_AUTHORITY', 'Accounts of the token can be frozen, which stops their transfers.'];
  }
  if (powers.canTake) {
    yield ['PERMANENT_DELEGATE', 'Somebody may move or burn the tokens of any holder.'];
  }
}

/** A token that a token list vouches for, and that another one can be mistaken for. */
export interface Lookalike {
  readonly chain: ChainSlug;
  readonly token: Address;
  readonly symbol: string | null;
}

export const LOOKALIKE = 'LOOKALIKE';

/** `mint` is its shown address; `chain` is that of the token that looks like it. */
export function warnOfLookalike(
  of: Lookalike,
  { mint, chain }: { readonly mint: string; readonly chain: ChainSlug },
): readonly [code: typeof LOOKALIKE, message: string] {
  const place = of.chain === chain ? mint : `${mint} on ${of.chain}`;
  const who = of.symbol === null ? place : `${of.symbol} (${place})`;
  return [LOOKALIKE, `The token looks like ${who}, which a token list vouches for; it is another.`];
}
