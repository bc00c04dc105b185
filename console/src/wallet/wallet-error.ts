// What a wallet refused or could not do, with a text for the user.

import { texts } from '../texts.ts';

/** An outcome that is explained to the user as it is. */
export class WalletError extends Error {}

/** EIP-1193: the user said no. Wallets of other standards use it, too. */
const REFUSED = 4001;
const MESSAGE_MAX = 300;

/** What a wallet threw: any object, whose text is a stranger's. */
export function toWalletError(error: unknown): WalletError {
  if (error instanceof WalletError) return error;
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  if (code === REFUSED) return new WalletError(texts.account.refused);
  return new WalletError(String(message ?? error).slice(0, MESSAGE_MAX));
}

/** Passes on what a wallet answers; what it throws becomes a `WalletError`. */
export async function askWallet<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    throw toWalletError(error);
  }
}
