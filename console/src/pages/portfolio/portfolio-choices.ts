// Whose portfolio is shown: the wallet in the URL, or the one that is signed in.

export const PORTFOLIO_TABS = ['balances', 'positions', 'trades'] as const;
export type PortfolioTab = (typeof PORTFOLIO_TABS)[number];

export interface PortfolioSubject {
  readonly chain: string;
  readonly wallet: string;
}

interface KnownWallets {
  readonly signedIn: { readonly address: string; readonly chain: string } | null;
  /** Followed chains, by slug. */
  readonly chains: readonly string[];
}

/** Null if no wallet is known. The chain of a sign-in need not be followed. */
export function pickPortfolioSubject(
  query: URLSearchParams,
  { signedIn, chains }: KnownWallets,
): PortfolioSubject | null {
  const wallet = query.get('wallet') ?? signedIn?.address ?? null;
  const own = chains.find((slug) => slug === signedIn?.chain);
  const chain = query.get('chain') ?? own ?? chains[0];
  return wallet === null || chain === undefined ? null : { chain, wallet };
}

export function parsePortfolioTab(query: URLSearchParams): PortfolioTab {
  return PORTFOLIO_TABS.find((tab) => tab === query.get('tab')) ?? 'balances';
}
