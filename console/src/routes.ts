// The console's pages: path, title, and which modules the page needs at once.

export type PageName = 'tokens' | 'token' | 'portfolio' | 'keys' | 'status';

export interface ConsoleRoute {
  readonly name: PageName;
  readonly path: string;
  readonly title: string;
  /** Sources that are loaded with the page instead of after it. */
  readonly preload: readonly string[];
}

export const ROUTES: readonly ConsoleRoute[] = [
  { name: 'tokens', path: '/', title: 'Tokens', preload: ['src/pages/tokens/tokens-page.tsx'] },
  {
    name: 'token',
    path: '/token',
    title: 'Token',
    preload: ['src/pages/token/token-page.tsx', 'src/chart/price-chart.ts'],
  },
  {
    name: 'portfolio',
    path: '/portfolio',
    title: 'Portfolio',
    preload: ['src/pages/side-page.tsx'],
  },
  { name: 'keys', path: '/keys', title: 'Keys', preload: ['src/pages/side-page.tsx'] },
  {
    name: 'status',
    path: '/status',
    title: 'Status',
    preload: ['src/pages/side-page.tsx'],
  },
];

export function findRoute(path: string): ConsoleRoute | null {
  return ROUTES.find((route) => route.path === path) ?? null;
}

/** The address of a token's page. */
export function buildTokenHref(token: { readonly chain: string; readonly mint: string }): string {
  return `/token?${new URLSearchParams({ chain: token.chain, mint: token.mint })}`;
}
