// What a wallet holds, made and traded, over all chains: the signed-in one, or any address.

import { useState } from 'preact/hooks';
import { currentLocation, navigate, setQuery } from '../../current-location.ts';
import { SignInButton } from '../../parts/account-menu.tsx';
import { ExplorerLink } from '../../parts/address-text.tsx';
import { ChoiceGroup, SelectField } from '../../parts/choice-fields.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { buildWalletHref } from '../../routes.ts';
import { me } from '../../state/account.ts';
import { chains, chainsProblem } from '../../state/chains.ts';
import { texts } from '../../texts.ts';
import {
  findChainsOf,
  PORTFOLIO_TABS,
  type PortfolioSubject,
  type PortfolioTab,
  parsePortfolioTab,
  pickPortfolioSubject,
} from './portfolio-choices.ts';
import { BalancesTable, PositionsTable, WalletTradesTable } from './wallet-tables.tsx';

const ADDRESS_MAX = 64;

function WalletForm() {
  const [address, setAddress] = useState('');
  const show = (event: Event) => {
    event.preventDefault();
    navigate(buildWalletHref({ wallet: address.trim() }));
  };
  return (
    <form class="bar" onSubmit={show}>
      <label class="field">
        <span class="hidden">{texts.portfolio.address}</span>
        <input
          placeholder={texts.portfolio.address}
          maxLength={ADDRESS_MAX}
          value={address}
          onInput={(event) => setAddress(event.currentTarget.value)}
        />
      </label>
      <button type="submit" disabled={address.trim() === ''}>
        {texts.portfolio.show}
      </button>
    </form>
  );
}

function KnownWallet({ subject, tab }: { subject: PortfolioSubject; tab: PortfolioTab }) {
  const { tabs, tabsLabel } = texts.portfolio;
  const { wallet } = subject;
  const own = findChainsOf(wallet, chains.value);
  const shown = chains.value.filter(({ slug }) => own.includes(slug));
  const [only = ''] = subject.chains.length < own.length ? subject.chains : [];
  return (
    <>
      <div class="bar">
        <span class="mono break">{wallet}</span>
        <CopyButton text={wallet} />
        {subject.chains.map((slug) => (
          <ExplorerLink key={slug} chain={slug} id={wallet} />
        ))}
        {shown.length > 1 && (
          <SelectField
            label={texts.tokens.chainLabel}
            value={only}
            options={[
              ['', texts.tokens.allChains] as const,
              ...shown.map(({ slug, name }) => [slug, name] as const),
            ]}
            onChange={(chain) => setQuery({ chain })}
          />
        )}
      </div>
      <ChoiceGroup
        label={tabsLabel}
        choices={PORTFOLIO_TABS.map((value) => ({ value, text: tabs[value] }))}
        chosen={tab}
        onChoose={(next) => setQuery({ tab: next === 'balances' ? null : next })}
      />
      {tab === 'balances' && <BalancesTable subject={subject} />}
      {tab === 'positions' && <PositionsTable subject={subject} />}
      {tab === 'trades' && <WalletTradesTable subject={subject} />}
    </>
  );
}

/** No wallet is chosen, or the server has not said which chains it follows. */
function NoWallet() {
  const problem = chainsProblem.value;
  if (problem !== null) return <ProblemNote problem={problem} />;
  if (chains.value.length === 0) return <div class="page-space" aria-busy="true" />;
  return (
    <div class="note">
      <p>{texts.portfolio.signedOut}</p>
      {me.value === null && <SignInButton className="primary" />}
    </div>
  );
}

function WalletView({ title, isForm }: { title: string; isForm: boolean }) {
  const { query } = currentLocation.value;
  const subject = pickPortfolioSubject(query, {
    signedIn: me.value?.wallet ?? null,
    chains: chains.value,
  });
  return (
    <div class="page">
      <h1>{title}</h1>
      {isForm && <WalletForm />}
      {subject === null ? (
        <NoWallet />
      ) : (
        <KnownWallet subject={subject} tab={parsePortfolioTab(query)} />
      )}
    </div>
  );
}

/** Of the signed-in wallet, with a field for others. */
export function PortfolioPage() {
  return <WalletView title={texts.portfolio.title} isForm />;
}

/** Of the wallet that a link names. */
export function WalletPage() {
  return <WalletView title={texts.portfolio.wallet} isForm={false} />;
}
