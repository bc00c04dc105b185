// What the API says of a wallet, from each of its chains.

import { api } from '../../api/api-client.ts';
import type {
  WalletBalancesReply,
  WalletPositionsReply,
  WalletTradesReply,
} from '../../api/contract-types.ts';
import { type LoadedResource, useResource } from '../../api/use-resource.ts';
import type { PortfolioSubject } from './portfolio-choices.ts';

const REFRESH_MS = 15_000;
const ROWS = 100;

interface WalletReplies {
  readonly getWalletBalances: WalletBalancesReply;
  readonly getWalletPositions: WalletPositionsReply;
  readonly getWalletTrades: WalletTradesReply;
}

export interface ChainAnswers<Reply> {
  readonly answers: readonly { readonly chain: string; readonly reply: Reply }[];
  /** Chains that did not answer while others did. */
  readonly missing: readonly string[];
}

export type WalletResource<Name extends keyof WalletReplies> = LoadedResource<
  ChainAnswers<WalletReplies[Name]>
>;

/** One chain that does not answer hides no other; if none does, its reason is the problem. */
async function readChains<Reply>(
  chains: readonly string[],
  read: (chain: string) => Promise<Reply>,
): Promise<ChainAnswers<Reply>> {
  const outcomes = await Promise.allSettled(chains.map(read));
  const answers = outcomes.flatMap((outcome, at) =>
    outcome.status === 'rejected' ? [] : [{ chain: chains[at] ?? '', reply: outcome.value }],
  );
  const [first] = outcomes;
  if (answers.length === 0 && first?.status === 'rejected') throw first.reason;
  const missing = chains.filter((_, at) => outcomes[at]?.status === 'rejected');
  return { answers, missing };
}

export function useWallet<Name extends keyof WalletReplies>(
  name: Name,
  { wallet, chains }: PortfolioSubject,
): WalletResource<Name> {
  const read = api[name] as (
    ...call: Parameters<typeof api.getWalletTrades>
  ) => Promise<WalletReplies[Name]>;
  return useResource({
    key: [name, wallet, ...chains].join(':'),
    load: (signal) =>
      readChains(chains, (chain) => read({ chain, wallet, limit: ROWS }, { signal })),
    refreshMs: REFRESH_MS,
  });
}
