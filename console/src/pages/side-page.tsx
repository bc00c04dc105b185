// The pages beside the market, but for keys and webhooks. They are one file for the browser: each
// alone is small, and every further file costs more in shared pieces than it saves.

import type { ComponentType } from 'preact';
import type { PageName } from '../routes.ts';
import { PortfolioPage, WalletPage } from './portfolio/portfolio-page.tsx';
import { StatusPage } from './status/status-page.tsx';
import { TransactionPage } from './transaction/transaction-page.tsx';

type SidePageName = Exclude<PageName, 'tokens' | 'token' | 'keys' | 'webhooks'>;

const SIDE_PAGES: Readonly<Record<SidePageName, ComponentType>> = {
  portfolio: PortfolioPage,
  wallet: WalletPage,
  transaction: TransactionPage,
  status: StatusPage,
};

export function SidePage({ name }: { name: SidePageName }) {
  const Page = SIDE_PAGES[name];
  return <Page />;
}
