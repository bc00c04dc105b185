// Says when the wallet stands on another account than the one that is signed in, and offers to sign
// in with that one.

import { useEffect, useRef, useState } from 'preact/hooks';
import { shortenAddress } from '../format/shorten-address.ts';
import { otherAccount } from '../state/account.ts';
import { texts } from '../texts.ts';
import type { PageWallet } from '../wallet/page-wallet.ts';
import { signInWithWallet } from '../wallet/sign-in-with-wallet.ts';
import { watchSessionWallet } from '../wallet/watch-session-wallet.ts';
import { describeWalletError } from './describe-wallet-error.ts';

export interface SessionWalletNoteProps {
  /** The wallet of the session. */
  readonly owner: string;
}

export function SessionWalletNote({ owner }: SessionWalletNoteProps) {
  const wallet = useRef<PageWallet | null>(null);
  const [isAsked, setAsked] = useState(false);
  const [error, setError] = useState<string | null>(null);
  useEffect(
    () =>
      watchSessionWallet(owner, (found) => {
        wallet.current = found;
      }),
    [owner],
  );
  const other = otherAccount.value;
  if (other === null) return null;
  const signIn = () => {
    if (wallet.current === null) return;
    setAsked(true);
    setError(null);
    signInWithWallet(wallet.current)
      .catch((reason: unknown) => setError(describeWalletError(reason)))
      .finally(() => setAsked(false));
  };
  return (
    <div class="wallet-note" role="alert">
      <p>{texts.account.standsOn(shortenAddress(other), shortenAddress(owner))}</p>
      <button type="button" class="primary" disabled={isAsked} onClick={signIn}>
        {texts.account.signInAs(shortenAddress(other))}
      </button>
      {error !== null && <p>{error}</p>}
    </div>
  );
}
