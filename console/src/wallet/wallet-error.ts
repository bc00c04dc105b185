// What a wallet refused or could not do, with a text for the user.

import { texts } from '../texts.ts';

/** An outcome that is explained to the user as it is. */
export class WalletError extends Error {}

/** EIP-1193: the user said no. Wallets of other standards use it, too. */
const REFUSED = 4001;
const MESSAGE_MAX = 300;

/** What a wallet threw: anything, or nothing at all; its text is a stranger's. */
export function toWalletError(error: unknown): WalletError {
  if (error instanceof WalletError) return error;
  const { code, message = error } = Object(error) as Record<'code' | 'message', unknown>;
  if (code === REFUSED) return new WalletError(texts.account.refused);
  const said = typeof message === 'string' ? message.slice(0, MESSAGE_MAX) : '';
  return new WalletError(said || texts.account.noReason);
}

/** Passes on what a wallet answers; what it throws becomes a `WalletError`. */
export async function askWallet<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    throw toWalletError(error);
  }
}
