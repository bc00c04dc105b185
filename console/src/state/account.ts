// Who is signed in and what they may do. `/me` is asked only with a session: without, it is 401.

import { computed, signal } from '@preact/signals';
import { api } from '../api/api-client.ts';
import type { EntitlementsReply, MeReply } from '../api/contract-types.ts';
import { type ShownProblem, toProblem } from '../api/shown-problem.ts';
import { findChain } from './chains.ts';

/** Null until the server has answered: then who is signed in is not known either. */
export const entitlements = signal<EntitlementsReply | null>(null);
/** Why that is so. */
export const accountProblem = signal<ShownProblem | null>(null);
export const me = signal<MeReply | null>(null);

/** Where the wallet that signed in stands now, as far as it tells. */
interface WalletStand {
  readonly account: string | null;
  readonly caip2: string | null;
}

/** Null until the wallet has said so. */
export const walletStand = signal<WalletStand | null>(null);

/** The wallet's account, if it is another one than that of the session. */
export const otherAccount = computed(() => {
  const account = walletStand.value?.account ?? null;
  const own = me.value?.wallet.address;
  // Solana's addresses differ in more than their case.
  return own === undefined || account?.toLowerCase() === own.toLowerCase() ? null : account;
});

/** The signed-in wallet's address if it has one on the chain. */
export function findOwnAddress(chain: string): string | null {
  const wallet = me.value?.wallet;
  // Both begin with the namespace: `eip155:<address>` and `eip155:<chain id>`.
  const [namespace] = wallet?.id.split(':') ?? [];
  const isSame = findChain(chain)?.caip2.startsWith(`${namespace}:`) ?? false;
  return wallet !== undefined && isSame ? wallet.address : null;
}

export async function readAccount(): Promise<void> {
  const own = await api.getEntitlements();
  const account = own.level === 'session' ? await api.getMe() : null;
  entitlements.value = own;
  me.value = account;
  accountProblem.value = null;
}

/** Reads it until there is an answer. */
export async function findAccount(): Promise<void> {
  try {
    await readAccount();
  } catch (error) {
    const problem = toProblem(error);
    accountProblem.value = problem;
    const waitMs = Math.max(1000, (problem.retryAtMs ?? 0) - Date.now());
    setTimeout(() => void findAccount(), waitMs);
  }
}

export async function signOut(where: 'here' | 'everywhere'): Promise<void> {
  const ended = where === 'here' ? api.endSession() : api.endAllSessions();
  // A session that is over already is as good; anything else shows in what is read next.
  await ended.catch(() => undefined);
  await readAccount().catch(() => undefined);
}
