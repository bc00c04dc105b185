// Signing in: choose a wallet, confirm in it.

import { useEffect, useState } from 'preact/hooks';
import { chains } from '../state/chains.ts';
import { texts } from '../texts.ts';
import { announcedWallets, findWallets } from '../wallet/announced-wallets.ts';
import type { PageWallet } from '../wallet/page-wallet.ts';
import { signInWithWallet } from '../wallet/sign-in-with-wallet.ts';
import { CopyLine } from './copy-line.tsx';
import { describeWalletError } from './describe-wallet-error.ts';
import { ModalDialog } from './modal-dialog.tsx';

/** Of a test account of the embedded chain. It is public: docs/console.md names it, too. */
const TEST_KEY = '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d';

/** Which wallets there are, and how to try one without coins. */
function NoWallet() {
  const { noWallet, testNetwork, testKey } = texts.account;
  const devnet = chains.value.find(({ slug }) => slug === 'devnet');
  return (
    <div class="note">
      <p>{noWallet}</p>
      {devnet?.rpcUrl != null && (
        <>
          <p>{testNetwork(devnet.rpcUrl, devnet.caip2.replace(/^.*:/, ''))}</p>
          <p>{testKey}</p>
          <CopyLine text={TEST_KEY} />
        </>
      )}
    </div>
  );
}

function WalletList({ onPick }: { onPick: (wallet: PageWallet) => void }) {
  useEffect(findWallets, []);
  if (announcedWallets.value.length === 0) return <NoWallet />;
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
