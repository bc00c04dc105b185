// The text for whatever went wrong between the page, the API and a wallet.

import { ApiProblem } from '../api/call-api.ts';
import { WalletError } from '../wallet/wallet-error.ts';
import { describeProblem } from './problem-note.tsx';

export function describeWalletError(error: unknown): string {
  if (error instanceof ApiProblem) return describeProblem(error);
  return error instanceof WalletError ? error.message : String(error);
}
