// Signs in with a wallet. The server writes the text; the wallet signs it; the session is a cookie.

import { startWalletSession } from '../../../sdk/src/wallet-sign-in.ts';
import { api } from '../api/api-client.ts';
import { readAccount } from '../state/account.ts';
import { chains } from '../state/chains.ts';
import type { ChainNamespace, PageWallet } from './page-wallet.ts';
import { rememberWallet } from './session-wallet.ts';

/** A key signs in on chains that are not followed, too. */
const FALLBACK_CHAINS: Readonly<Record<ChainNamespace, string>> = {
  eip155: 'ethereum',
  solana: 'solana',
};

/** A contract wallet's signature is checked on its chain: the one that the wallet stands on. */
async function pickChain(wallet: PageWallet): Promise<string> {
  const { namespace } = wallet;
  const caip2 = await wallet.readCaip2();
  const known = chains.peek().filter((chain) => chain.caip2.startsWith(`${namespace}:`));
  const picked = known.find((chain) => chain.caip2 === caip2) ?? known[0];
  return picked?.slug ?? FALLBACK_CHAINS[namespace];
}

export async function signInWithWallet(wallet: PageWallet): Promise<void> {
  const signer = await wallet.findSigner(await wallet.connect());
  await startWalletSession(api, signer, { chain: await pickChain(wallet), domain: location.host });
  rememberWallet(wallet);
  await readAccount();
}
