// What a wallet refused or could not do, with a text for the user.

import { dialogTexts } from '../dialog-texts.ts';

/** An outcome that is explained to the user as it is. */
export class WalletError extends Error {
  /** The user said no: nothing is wrong. */
  readonly isRefusal: boolean;

  constructor(message: string, isRefusal = false) {
    super(message);
    this.isRefusal = isRefusal;
  }
}

/** EIP-1193: the user said no. Wallets of other standards use it, too. */
const REFUSED = 4001;
const MESSAGE_MAX = 300;

/** Passes on what a wallet answers; what it throws becomes a `WalletError`. */
export async function askWallet<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
    if (code === REFUSED) throw new WalletError(dialogTexts.account.refused, true);
    throw new WalletError(String(message ?? error).slice(0, MESSAGE_MAX));
  }
}
