// Follows the wallet that signed in: its user may change account and chain at any time.

import { walletStand } from '../state/account.ts';
import type { PageWallet } from './page-wallet.ts';
import { findRememberedWallet } from './session-wallet.ts';

/** Keeps `walletStand` true; the result ends it. */
export function watchSessionWallet(owner: string, onFound: (wallet: PageWallet) => void) {
  let stop = () => {};
  let isGone = false;
  let reads = 0;
  const read = async (wallet: PageWallet) => {
    reads += 1;
    const own = reads;
    const [account, caip2] = await Promise.all([
      // A locked wallet gives no account: that is no other account.
      wallet.readAddress(owner).catch(() => null),
      wallet.readCaip2().catch(() => null),
    ]);
    if (!isGone && own === reads) walletStand.value = { account, caip2 };
  };
  void findRememberedWallet(owner).then((wallet) => {
    if (isGone || wallet === null) return;
    onFound(wallet);
    const look = () => void read(wallet);
    const unwatch = wallet.watch(look);
    // Some wallets tell of no change; one is made in their own window.
    addEventListener('focus', look);
    stop = () => {
      unwatch();
      removeEventListener('focus', look);
    };
    look();
  });
  return () => {
    isGone = true;
    stop();
    walletStand.value = null;
  };
}
