// The signed-in wallet, or the way to sign in.

import { useState } from 'preact/hooks';
import { shortenAddress } from '../format/shorten-address.ts';
import { createLazyPart } from '../lazy-part.tsx';
import { entitlements, me, signOut } from '../state/account.ts';
import { texts } from '../texts.ts';
import { LazyDialog } from './lazy-dialog.tsx';
import type { SessionWalletNoteProps } from './session-wallet-note.tsx';

const SessionWalletNote = createLazyPart<SessionWalletNoteProps>(
  async () => (await import('./session-wallet-note.tsx')).SessionWalletNote,
  null,
);

/** A button that opens the dialog. */
export function SignInButton({ className }: { className: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        class={className}
        disabled={entitlements.value === null}
        onClick={() => setOpen(true)}
      >
        {texts.account.signIn}
      </button>
      {isOpen && <LazyDialog kind="signIn" onClose={() => setOpen(false)} />}
    </>
  );
}

export function AccountMenu() {
  const wallet = me.value?.wallet ?? null;
  if (wallet === null) return <SignInButton className="" />;
  return (
    <span class="account">
      <a class="mono line" href="/portfolio" title={wallet.address}>
        {shortenAddress(wallet.address)}
      </a>
      <button type="button" class="quiet wide" onClick={() => void signOut('here')}>
        {texts.account.signOut}
      </button>
      <SessionWalletNote owner={wallet.address} />
    </span>
  );
}
