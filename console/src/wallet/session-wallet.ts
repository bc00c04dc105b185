// The wallet behind the session. A reload forgets which one it was, so its name is remembered and
// the wallets are asked, silently, who has the account.

import { texts } from '../texts.ts';
import { announcedWallets, findWallets } from './announced-wallets.ts';
import { isSameAddress, type PageWallet } from './page-wallet.ts';
import { WalletError } from './wallet-error.ts';

const STORED_NAME = 'wallet';
/** Wallets announce themselves at once; slow ones within this time. */
const ANNOUNCE_MS = 300;

export function rememberWallet({ id }: PageWallet): void {
  localStorage.setItem(STORED_NAME, id);
}

/** A wallet that does not answer must not hold up the others. */
const ANSWER_MS = 3000;

async function hasAccount(wallet: PageWallet, address: string): Promise<boolean> {
  const silence = new Promise<string>((resolve) => setTimeout(resolve, ANSWER_MS, ''));
  const account = await Promise.race([wallet.readAddress(address).catch(() => ''), silence]);
  return isSameAddress(wallet.namespace, account, address);
}

/** Those that are there now, the remembered one first. */
async function findOwner(address: string): Promise<PageWallet | null> {
  const stored = localStorage.getItem(STORED_NAME);
  const namespace = address.startsWith('0x') ? 'eip155' : 'solana';
  const wallets = announcedWallets
    .peek()
    .filter((wallet) => wallet.namespace === namespace)
    .toSorted((a, b) => Number(b.id === stored) - Number(a.id === stored));
  for (const wallet of wallets) if (await hasAccount(wallet, address)) return wallet;
  return null;
}

/** The wallet that has the account now; an error that says what to do if none has. */
export async function findSessionWallet(address: string): Promise<PageWallet> {
  const stop = findWallets();
  const prompt = await findOwner(address);
  if (prompt === null) await new Promise((resolve) => setTimeout(resolve, ANNOUNCE_MS));
  const found = prompt ?? (await findOwner(address));
  stop();
  if (found === null) throw new WalletError(texts.swap.noAccount(address));
  return found;
}
