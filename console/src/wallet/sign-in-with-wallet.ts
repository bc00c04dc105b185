// Signs in with a wallet. The server writes the text; the wallet signs it; the session is a cookie.

import { callApi } from '../api/call-api.ts';
import { dialogTexts } from '../dialog-texts.ts';
import { readAccount } from '../state/account.ts';
import { chains } from '../state/chains.ts';
import { type ChainNamespace, isSameAddress, type PageWallet } from './page-wallet.ts';
import { rememberWallet } from './session-wallet.ts';
import { WalletError } from './wallet-error.ts';

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
  const address = await wallet.connect();
  const chain = await pickChain(wallet);
  const challenge = await callApi<{ challengeId: string; message: string }>('/auth/challenge', {
    method: 'POST',
    body: { address, chain, domain: location.host },
  });
  if (!isSameAddress(wallet.namespace, await wallet.readAddress(address), address)) {
    throw new WalletError(dialogTexts.account.otherAccount);
  }
  const signature = await wallet.signText(challenge.message, address);
  await callApi('/auth/verify', {
    method: 'POST',
    body: { challengeId: challenge.challengeId, signature, transport: 'cookie' },
  });
  rememberWallet(wallet);
  await readAccount();
}
