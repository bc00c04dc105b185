// Signing in: choose a wallet, confirm in it.

import { useEffect, useState } from 'preact/hooks';
import { texts } from '../texts.ts';
import { announcedWallets, findWallets } from '../wallet/announced-wallets.ts';
import type { PageWallet } from '../wallet/page-wallet.ts';
import { signInWithWallet } from '../wallet/sign-in-with-wallet.ts';
import { describeWalletError } from './describe-wallet-error.ts';
import { ModalDialog } from './modal-dialog.tsx';

function WalletList({ onPick }: { onPick: (wallet: PageWallet) => void }) {
  useEffect(findWallets, []);
  if (announcedWallets.value.length === 0) return <p class="note">{texts.account.noWallet}</p>;
  return (
    <ul class="wallets" aria-label={texts.account.pick}>
      {announcedWallets.value.map((wallet) => (
        <li key={wallet.uuid}>
          <button type="button" onClick={() => onPick(wallet)}>
            {wallet.icon !== null && <img src={wallet.icon} alt="" width={24} height={24} />}
            <span>{wallet.name}</span>
            {wallet.namespace === 'solana' && <span class="soft">{texts.account.solana}</span>}
          </button>
        </li>
      ))}
    </ul>
  );
}

export function SignInDialog({ onClose }: { onClose: () => void }) {
  const [asked, setAsked] = useState<PageWallet | null>(null);
  const [error, setError] = useState<string | null>(null);
  const pick = (wallet: PageWallet) => {
    setAsked(wallet);
    setError(null);
    signInWithWallet(wallet)
      .then(onClose)
      .catch((reason: unknown) => {
        setAsked(null);
        setError(describeWalletError(reason));
      });
  };
  return (
    <ModalDialog label={texts.account.title} onClose={onClose}>
      <h2>{texts.account.title}</h2>
      <p class="soft">{texts.account.explain}</p>
      {asked === null ? (
        <WalletList onPick={pick} />
      ) : (
        <p class="note" role="status">
          {texts.account.waiting(asked.name)}
        </p>
      )}
      {error !== null && (
        <p class="note" role="alert">
          {error}
        </p>
      )}
      <div class="actions">
        <button type="button" onClick={onClose}>
          {texts.account.cancel}
        </button>
      </div>
    </ModalDialog>
  );
}
