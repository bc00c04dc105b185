// The followed chains, for names, coins and explorer links; read again every half minute.

import { computed, signal } from '@preact/signals';
import { api } from '../api/api-client.ts';
import type { ChainRow } from '../api/contract-types.ts';

const REFRESH_MS = 30_000;

export const chains = signal<readonly ChainRow[]>([]);

const chainsBySlug = computed(() => new Map(chains.value.map((chain) => [chain.slug, chain])));

export function findChain(slug: string): ChainRow | null {
  return chainsBySlug.value.get(slug) ?? null;
}

/** Etherscan and Solana's explorers share these paths. */
export function buildExplorerUrl(
  slug: string,
  kind: 'address' | 'token' | 'tx',
  id: string,
): string | null {
  const base = findChain(slug)?.explorerUrl ?? null;
  return base === null ? null : `${base}/${kind}/${encodeURIComponent(id)}`;
}

async function readChains(): Promise<void> {
  const answer = await api.getChains();
  chains.value = answer.chains;
}

export function followChains(): void {
  // The pages that need the chains show their own problems; here the next round tries again.
  const read = () => void readChains().catch(() => undefined);
  read();
  setInterval(() => {
    if (!document.hidden) read();
  }, REFRESH_MS);
}
