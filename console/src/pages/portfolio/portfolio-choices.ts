// Whose portfolio is shown, and on which chains: the URL's wallet, or the one that is signed in.

export const PORTFOLIO_TABS = ['balances', 'positions', 'trades'] as const;
export type PortfolioTab = (typeof PORTFOLIO_TABS)[number];

export interface PortfolioSubject {
  readonly wallet: string;
  /** The followed chains that such an address is of, or the one that was chosen. */
  readonly chains: readonly string[];
}

interface KnownChain {
  readonly slug: string;
  readonly caip2: string;
}

interface KnownWallets {
  readonly signedIn: { readonly address: string } | null;
  readonly chains: readonly KnownChain[];
}

/** Of an address that is wrong all: each says what is wrong with it. */
export function findChainsOf(wallet: string, chains: readonly KnownChain[]): string[] {
  const namespace = /^0x/i.test(wallet) ? 'eip155:' : 'solana:';
  const own = chains.filter(({ caip2 }) => caip2.startsWith(namespace));
  return (own.length === 0 ? chains : own).map(({ slug }) => slug);
}

/** Null if no wallet or no chain is known. */
export function pickPortfolioSubject(
  query: URLSearchParams,
  { signedIn, chains }: KnownWallets,
): PortfolioSubject | null {
  const wallet = query.get('wallet') ?? signedIn?.address ?? null;
  if (wallet === null) return null;
  const own = findChainsOf(wallet, chains);
  const chosen = own.filter((slug) => slug === query.get('chain'));
  const shown = chosen.length === 0 ? own : chosen;
  return shown.length === 0 ? null : { wallet, chains: shown };
}

export function parsePortfolioTab(query: URLSearchParams): PortfolioTab {
  return PORTFOLIO_TABS.find((tab) => tab === query.get('tab')) ?? 'balances';
}
