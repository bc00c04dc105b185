// The console's pages: path, and which modules the page needs at once.

export type PageName =
  | 'tokens'
  | 'token'
  | 'portfolio'
  | 'wallet'
  | 'transaction'
  | 'keys'
  | 'webhooks'
  | 'status';

export interface ConsoleRoute {
  readonly name: PageName;
  readonly path: string;
  /** Sources that are loaded with the page instead of after it. */
  readonly preload: readonly string[];
}

export const ROUTES: readonly ConsoleRoute[] = [
  { name: 'tokens', path: '/', preload: ['src/pages/tokens/tokens-page.tsx'] },
  {
    name: 'token',
    path: '/token',
    preload: ['src/pages/token/token-page.tsx', 'src/pages/token/token-chart.ts'],
  },
  { name: 'portfolio', path: '/portfolio', preload: ['src/pages/side-page.tsx'] },
  { name: 'wallet', path: '/wallet', preload: ['src/pages/side-page.tsx'] },
  { name: 'transaction', path: '/transaction', preload: ['src/pages/side-page.tsx'] },
  { name: 'keys', path: '/keys', preload: ['src/pages/keys/keys-page.tsx'] },
  { name: 'webhooks', path: '/webhooks', preload: ['src/pages/webhooks/webhooks-page.tsx'] },
  { name: 'status', path: '/status', preload: ['src/pages/side-page.tsx'] },
];

export function findRoute(path: string): ConsoleRoute | null {
  return ROUTES.find((route) => route.path === path) ?? null;
}

/** The address of a token's page. */
export function buildTokenHref(token: { readonly chain: string; readonly mint: string }): string {
  return `/token?${new URLSearchParams({ chain: token.chain, mint: token.mint })}`;
}

/** The page of a wallet, on all chains that its address is of. */
export function buildWalletHref({ wallet }: { readonly wallet: string }): string {
  return `/wallet?${new URLSearchParams({ wallet })}`;
}

export function buildTransactionHref(sent: {
  readonly chain: string;
  readonly txHash: string;
}): string {
  const { chain, txHash } = sent;
  return `/transaction?${new URLSearchParams({ chain, txHash })}`;
}
