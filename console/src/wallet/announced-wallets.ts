// The wallets of this browser: those of EVM chains announce themselves (EIP-6963), those of Solana
// register themselves (Wallet Standard).

import { signal } from '@preact/signals';
import { type EvmAnnouncement, parseEvmWallet } from './evm-wallet.ts';
import type { PageWallet } from './page-wallet.ts';
import { parseSolanaWallet, type RegisteredWallet } from './solana-wallet.ts';

export const announcedWallets = signal<readonly PageWallet[]>([]);

function addWallet(wallet: PageWallet | null): void {
  if (wallet === null) return;
  const others = announcedWallets.peek().filter(({ uuid }) => uuid !== wallet.uuid);
  announcedWallets.value = [...others, wallet];
}

/** What a wallet of the Wallet Standard is given, to register itself. */
const REGISTRY = Object.freeze({
  register: (...wallets: readonly RegisteredWallet[]) => {
    for (const wallet of wallets) addWallet(parseSolanaWallet(wallet));
    return () => undefined;
  },
});

type RegisterCallback = (registry: typeof REGISTRY) => void;

/** Asks wallets to announce themselves; those that come later are added, too. */
export function findWallets(): () => void {
  const onAnnounce = (event: Event) =>
    addWallet(parseEvmWallet((event as CustomEvent<EvmAnnouncement>).detail));
  const onRegister = (event: Event) => {
    const callback = (event as CustomEvent<RegisterCallback>).detail;
    if (typeof callback === 'function') callback(REGISTRY);
  };
  addEventListener('eip6963:announceProvider', onAnnounce);
  addEventListener('wallet-standard:register-wallet', onRegister);
  dispatchEvent(new Event('eip6963:requestProvider'));
  dispatchEvent(new CustomEvent('wallet-standard:app-ready', { detail: REGISTRY }));
  return () => {
    removeEventListener('eip6963:announceProvider', onAnnounce);
    removeEventListener('wallet-standard:register-wallet', onRegister);
  };
}
