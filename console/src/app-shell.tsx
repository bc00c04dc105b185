// What is around every page: navigation, search, connection, account, theme, keyboard.

import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { currentLocation, navigate } from './current-location.ts';
import { createLazyPart } from './lazy-part.tsx';
import { AccountMenu } from './parts/account-menu.tsx';
import { ConnectionLamp, StaleBanner } from './parts/connection-lamp.tsx';
import { LazyDialog } from './parts/lazy-dialog.tsx';
import { findRoute } from './routes.ts';
import { setTitle } from './set-title.ts';
import { me, signOut } from './state/account.ts';
import { texts } from './texts.ts';
import { palette, theme, togglePalette, toggleTheme } from './theme.ts';

const TokensPage = createLazyPart(
  async () => (await import('./pages/tokens/tokens-page.tsx')).TokensPage,
);
const TokenPage = createLazyPart(
  async () => (await import('./pages/token/token-page.tsx')).TokenPage,
);
const KeysPage = createLazyPart(async () => (await import('./pages/keys/keys-page.tsx')).KeysPage);
const WebhooksPage = createLazyPart(
  async () => (await import('./pages/webhooks/webhooks-page.tsx')).WebhooksPage,
);
const SidePage = createLazyPart(async () => (await import('./pages/side-page.tsx')).SidePage);

const GO_KEYS: Readonly<Record<string, string>> = {
  t: '/',
  p: '/portfolio',
  k: '/keys',
  w: '/webhooks',
  s: '/status',
};

function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('input, textarea, select, dialog') !== null;
}

type OverlayKind = 'search' | 'help';

/** `/` searches, `?` explains, `g` and a letter goes to a page. */
function useKeyboard(open: (kind: OverlayKind) => void): void {
  // Before the first paint: who sees the page may type.
  useLayoutEffect(() => {
    let isGoing = false;
    const onKey = (event: KeyboardEvent) => {
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return;
      const href = isGoing ? GO_KEYS[event.key] : undefined;
      isGoing = event.key === 'g';
      if (href !== undefined) navigate(href);
      else if (event.key === '/') open('search');
      else if (event.key === '?') open('help');
      else return;
      event.preventDefault();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [open]);
}

function NavLink({ href, text }: { href: string; text: string }) {
  const isHere = currentLocation.value.path === href;
  return (
    <a href={href} {...(isHere ? { 'aria-current': 'page' as const } : {})}>
      {text}
    </a>
  );
}

/** On narrow screens the pages are behind a button; whatever is done next closes them. */
function useMenu() {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    if (!isOpen) return undefined;
    const close = (event: Event) => {
      if (!(event instanceof KeyboardEvent) || event.key === 'Escape') setOpen(false);
    };
    addEventListener('click', close);
    addEventListener('keydown', close);
    return () => {
      removeEventListener('click', close);
      removeEventListener('keydown', close);
    };
  }, [isOpen]);
  return { isOpen, toggle: () => setOpen(!isOpen) };
}

function TopBar({ onSearch }: { onSearch: () => void }) {
  const label = theme.value === 'dark' ? texts.theme.toLight : texts.theme.toDark;
  const menu = useMenu();
  return (
    <header class="top">
      <a class="skip" href="#content">
        {texts.skip}
      </a>
      <a class="brand" href="/">
        <img src="/favicon.svg" alt="" width={22} height={22} />
        <span class="brand-name">{texts.product}</span>
      </a>
      <nav id="pages" class={menu.isOpen ? 'open' : ''} aria-label={texts.nav.label}>
        <NavLink href="/" text={texts.nav.tokens} />
        <NavLink href="/portfolio" text={texts.nav.portfolio} />
        <NavLink href="/keys" text={texts.nav.keys} />
        <NavLink href="/webhooks" text={texts.nav.webhooks} />
        <NavLink href="/status" text={texts.nav.status} />
        <a href="/v1/docs">{texts.nav.docs}</a>
        {me.value !== null && (
          <button type="button" class="quiet narrow" onClick={() => void signOut('here')}>
            {texts.account.signOut}
          </button>
        )}
      </nav>
      <button type="button" class="search-button" onClick={onSearch} aria-label={texts.search.open}>
        <span>{texts.search.open}</span> <kbd>/</kbd>
        <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
          <path d="M10.5 10.5 14 14M7 2a5 5 0 1 0 0 10A5 5 0 0 0 7 2z" />
        </svg>
      </button>
      <ConnectionLamp />
      <button
        type="button"
        class="quiet theme"
        onClick={toggleTheme}
        title={label}
        aria-label={label}
      >
        <span aria-hidden="true">{theme.value === 'dark' ? '☀' : '☾'}</span>
      </button>
      <AccountMenu />
      <button
        type="button"
        class="quiet narrow"
        aria-label={texts.nav.menu}
        aria-expanded={menu.isOpen}
        aria-controls="pages"
        onClick={menu.toggle}
      >
        <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
          <path d="M2 4h12M2 8h12M2 12h12" />
        </svg>
      </button>
    </header>
  );
}

function NoPage() {
  return (
    <div class="page">
      <h1>{texts.problem.noPageTitle}</h1>
      <div class="note">
        <p>{texts.problem.noPage}</p>
        <a href="/">{texts.problem.toTokens}</a>
      </div>
    </div>
  );
}

function PageBody() {
  const route = findRoute(currentLocation.value.path);
  useEffect(() => {
    if (route !== null && route.name !== 'token') setTitle(texts.titles[route.name]);
  }, [route]);
  if (route === null) return <NoPage />;
  const { name } = route;
  if (name === 'tokens') return <TokensPage />;
  if (name === 'keys') return <KeysPage />;
  if (name === 'webhooks') return <WebhooksPage />;
  return name === 'token' ? <TokenPage /> : <SidePage name={name} />;
}

export function AppShell() {
  const [overlay, setOverlay] = useState<{ kind: OverlayKind; opening: number } | null>(() =>
    currentLocation.peek().query.has('q') ? { kind: 'search', opening: 0 } : null,
  );
  const openings = useRef(0);
  const open = useCallback((kind: OverlayKind) => {
    openings.current += 1;
    setOverlay({ kind, opening: openings.current });
  }, []);
  useKeyboard(open);
  // The browser reports the end of a dialog a moment later, when the next one may be open.
  const close = () => setOverlay((now) => (now?.opening === overlay?.opening ? null : now));
  return (
    <>
      <TopBar onSearch={() => open('search')} />
      <StaleBanner />
      <main id="content" tabIndex={-1}>
        <PageBody />
      </main>
      <footer class="foot">
        <a href="/v1/docs">{texts.footer.api}</a>
        <a href="/v1/openapi.json">{texts.footer.openapi}</a>
        <a href="/licences.txt">{texts.footer.licences}</a>
        <a href="https://www.tradingview.com/" target="_blank" rel="noreferrer">
          {texts.token.chart.credit}
        </a>
        <button
          type="button"
          class="quiet"
          aria-pressed={palette.value !== ''}
          onClick={togglePalette}
        >
          {texts.theme.palette}
        </button>
      </footer>
      {overlay !== null && <LazyDialog key={overlay.opening} kind={overlay.kind} onClose={close} />}
    </>
  );
}
