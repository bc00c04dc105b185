// The text for whatever went wrong between the page, the API and a wallet.

import { MintwireError } from '../../../sdk/src/mintwire-error.ts';
import { toProblem } from '../api/shown-problem.ts';
import { toWalletError } from '../wallet/wallet-error.ts';
import { describeProblem } from './describe-problem.ts';

export function describeWalletError(error: unknown): string {
  if (error instanceof MintwireError) return describeProblem(toProblem(error));
  return toWalletError(error).message;
}
