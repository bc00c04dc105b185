// What a simulated round trip says of a token, in words: for quotes and for the token itself.

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
