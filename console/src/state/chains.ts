// The followed chains, for names, coins and explorer links; read again every half minute.

import { computed, signal } from '@preact/signals';
import { api } from '../api/api-client.ts';
import type { ChainRow } from '../api/contract-types.ts';
import { type ShownProblem, toProblem } from '../api/shown-problem.ts';

const REFRESH_MS = 30_000;

export const chains = signal<readonly ChainRow[]>([]);
/** Why they are not known, until they are. */
export const chainsProblem = signal<ShownProblem | null>(null);

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

export async function followChains(): Promise<void> {
  let waitMs = REFRESH_MS;
  try {
    if (!document.hidden || chains.peek().length === 0) await readChains();
    chainsProblem.value = null;
  } catch (error) {
    const problem = toProblem(error);
    // What is known of chains stays true: names, coins, explorers.
    if (chains.peek().length === 0) chainsProblem.value = problem;
    waitMs = Math.max(1000, (problem.retryAtMs ?? 0) - Date.now());
  }
  setTimeout(() => void followChains(), waitMs);
}
