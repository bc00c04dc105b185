// What a wallet holds, made and traded: the signed-in one, or any address.

import { useState } from 'preact/hooks';
import { currentLocation, setQuery } from '../../current-location.ts';
import { SignInButton } from '../../parts/account-menu.tsx';
import { AddressText } from '../../parts/address-text.tsx';
import { ChoiceGroup, SelectField } from '../../parts/choice-fields.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { me } from '../../state/account.ts';
import { chains, chainsProblem } from '../../state/chains.ts';
import { texts } from '../../texts.ts';
import {
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
    setQuery({ wallet: address.trim() });
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
  return (
    <>
      <div class="bar">
        <AddressText chain={subject.chain} id={subject.wallet} kind="address" />
        <SelectField
          label={texts.tokens.chainLabel}
          value={subject.chain}
          options={chains.value.map(({ slug, name }) => [slug, name] as const)}
          onChange={(chain) => setQuery({ chain })}
        />
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

export function PortfolioPage() {
  const { query } = currentLocation.value;
  const subject = pickPortfolioSubject(query, {
    signedIn: me.value?.wallet ?? null,
    chains: chains.value.map(({ slug }) => slug),
  });
  return (
    <div class="page">
      <h1>{texts.portfolio.title}</h1>
      <WalletForm />
      {subject === null ? (
        <NoWallet />
      ) : (
        <KnownWallet subject={subject} tab={parsePortfolioTab(query)} />
      )}
    </div>
  );
}
