// How much a constant product pays for a token before its price has fallen by two per cent.

/** One minus the square root of 0.98, in 1e-18: the share of the reserve that is paid by then. */
const PAID_E18 = 10_050_506_338_833_466n;
const E18 = 10n ** 18n;

export function findProductPayable(reserveOut: bigint): bigint {
  return (reserveOut * PAID_E18) / E18;
}
