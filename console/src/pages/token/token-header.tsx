// The head of a token's page: names, price, windows, figures, links, coverage.

import { useState } from 'preact/hooks';
import type { TokenReply, WindowName } from '../../api/contract-types.ts';
import {
  formatCompact,
  formatCompactCount,
  formatCompactUsd,
  formatCount,
  formatPercent,
} from '../../format/format-amount.ts';
import { formatPrice, formatUsd } from '../../format/format-price.ts';
import { formatUnits } from '../../format/token-units.ts';
import { createLazyPart } from '../../lazy-part.tsx';
import { AddressText } from '../../parts/address-text.tsx';
import { AgeText } from '../../parts/age-text.tsx';
import { ChainName } from '../../parts/chain-icon.tsx';
import { ChangeText } from '../../parts/change-text.tsx';
import { DangerBadges } from '../../parts/danger-badges.tsx';
import { LaunchProgress } from '../../parts/launch-progress.tsx';
import { LiveText } from '../../parts/live-text.tsx';
import { ChainTokenLogo } from '../../parts/token-logo.tsx';
import { WatchButton } from '../../parts/watch-button.tsx';
import { findChain } from '../../state/chains.ts';
import { texts } from '../../texts.ts';
import type { AlertDialogProps } from '../webhooks/alert-dialog.tsx';
import { pickTokenFigures, type TokenHeaderProps } from './token-figures.ts';

const WINDOWS = ['5m', '1h', '6h', '24h'] as const satisfies readonly WindowName[];
const LINK_NAMES = ['website', 'x', 'telegram'] as const;

const AlertDialog = createLazyPart<AlertDialogProps>(
  async () => (await import('../webhooks/webhooks-part.tsx')).webhooksPart.AlertDialog,
  null,
);

interface TokenTitleProps {
  readonly token: TokenReply;
  /** Codes of its safety; empty until they are known. */
  readonly warnings: readonly string[];
}

function TokenTitle({ token, warnings }: TokenTitleProps) {
  const links = LINK_NAMES.flatMap((name) => {
    const url = token.links?.[name] ?? null;
    return url?.startsWith('https://') ? [{ name, url }] : [];
  });
  return (
    <div class="token-title">
      <ChainTokenLogo chain={token.chain} logoUrl={token.logoUrl} symbol={token.symbol} />
      <div class="two-lines">
        <h1 class="line">
          {token.symbol ?? texts.token.unnamed} <span class="soft">{token.name}</span>
          {token.verified.length > 0 && (
            <span class="verified" title={texts.tokens.verified(token.verified.join(', '))}>
              ✓
            </span>
          )}
          <WatchButton token={token} />
        </h1>
        <p class="badges">
          <DangerBadges codes={warnings} />
          {token.launchpad !== null && <LaunchProgress launchpad={token.launchpad} />}
        </p>
        <p class="line soft" title={token.mint}>
          <ChainName chain={token.chain} />{' '}
          <AddressText chain={token.chain} id={token.mint} kind="token" />
          {links.map(({ name, url }) => (
            <a key={name} class="link" href={url} target="_blank" rel="noreferrer nofollow">
              {texts.token.links[name]}
            </a>
          ))}
        </p>
      </div>
    </div>
  );
}

/** How many bought and sold: figures, and a bar of both. */
function BuySellBar({ buys, sells }: { buys: number | null; sells: number | null }) {
  const all = (buys ?? 0) + (sells ?? 0);
  return (
    <>
      <span class="buy-sell">
        <span class="up" title={texts.token.stats.buys}>
          {formatCompactCount(buys)}
        </span>
        <span class="down" title={texts.token.stats.sells}>
          {formatCompactCount(sells)}
        </span>
      </span>
      <span class="buy-sell-track" aria-hidden="true">
        {all > 0 && <span style={{ width: `${((buys ?? 0) * 100) / all}%` }} />}
      </span>
    </>
  );
}

function WindowBoxes(props: TokenHeaderProps) {
  const { windows } = pickTokenFigures(props);
  return (
    <ul class="windows">
      {WINDOWS.map((name) => {
        const window = windows[name];
        const makers = texts.token.makers(formatCount(window.buyers), formatCount(window.sellers));
        return (
          <li key={name} title={`${texts.token.window(name)}: ${makers}`}>
            <span class="soft">{name}</span>
            <ChangeText value={window.priceChangePct} />
            <span class="soft">{formatCompactUsd(window.volumeUsd)}</span>
            <BuySellBar buys={window.buys} sells={window.sells} />
          </li>
        );
      })}
    </ul>
  );
}

function TokenStats(props: TokenHeaderProps) {
  const { token } = props;
  const figures = pickTokenFigures(props);
  const supply = formatUnits(token.totalSupplyRaw, token.decimals);
  const { stats } = texts.token;
  const day = figures.windows['24h'];
  return (
    <dl class="stats">
      <div>
        <dt>{stats.marketCap}</dt>
        <dd title={figures.marketCapUsd ?? ''}>{formatCompactUsd(figures.marketCapUsd)}</dd>
      </div>
      <div>
        <dt>{stats.liquidity}</dt>
        <dd title={figures.liquidityUsd ?? ''}>{formatCompactUsd(figures.liquidityUsd)}</dd>
      </div>
      <div>
        <dt>{stats.volume}</dt>
        <dd title={figures.volume24hUsd ?? ''}>{formatCompactUsd(figures.volume24hUsd)}</dd>
      </div>
      <div>
        <dt>{stats.buysAndSells}</dt>
        <dd>
          <span class="up">{formatCount(day.buys)}</span> /{' '}
          <span class="down">{formatCount(day.sells)}</span>
        </dd>
      </div>
      <div>
        <dt>{stats.makers}</dt>
        <dd title={texts.token.makers(formatCount(day.buyers), formatCount(day.sellers))}>
          {formatCount(day.buyers)} / {formatCount(day.sellers)}
        </dd>
      </div>
      <div>
        <dt>{stats.holders}</dt>
        <dd>{formatCount(figures.holders)}</dd>
      </div>
      <div>
        <dt>{stats.supply}</dt>
        <dd title={supply ?? ''}>{formatCompact(supply)}</dd>
      </div>
      <div>
        <dt>{stats.age}</dt>
        <dd>
          <AgeText timeMs={token.createdAt} />
        </dd>
      </div>
    </dl>
  );
}

export function CoverageNote({ token, feed }: TokenHeaderProps) {
  const { tradesFrom, backfill, scope } = feed.coverage.value ?? token.coverage;
  const { coverage } = texts.token;
  const { block } = feed.price.value ?? token.asOf;
  const lines = [
    coverage.block(formatCount(Math.max(block, token.asOf.block))),
    tradesFrom === null ? null : coverage.from(new Date(tradesFrom).toLocaleString(texts.locale)),
    scope === 'partial' ? coverage.partial : null,
    backfill?.status === 'running' ? coverage.backfill(formatPercent(backfill.pct, 0)) : null,
    backfill?.status === 'queued' ? coverage.queued : null,
    backfill?.status === 'failed' ? coverage.failed : null,
  ].filter((line) => line !== null);
  return <p class="soft small">{lines.join(' ')}</p>;
}

/** Its dialog is loaded when it is opened. */
function AlertButton({ token }: { token: TokenReply }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        {texts.token.tellMe}
      </button>
      {isOpen && <AlertDialog token={token} onClose={() => setOpen(false)} />}
    </>
  );
}

export function TokenHeader(props: TokenHeaderProps & TokenTitleProps) {
  const { token, warnings } = props;
  const figures = pickTokenFigures(props);
  const native = findChain(token.chain)?.native.symbol ?? '';
  return (
    <header class="token-head">
      <TokenTitle token={token} warnings={warnings} />
      <div class="token-price">
        <p class="price">
          <LiveText text={formatUsd(figures.priceUsd)} value={figures.priceUsd} />
        </p>
        <p>
          <ChangeText value={figures.priceChange24hPct} />{' '}
          <span class="soft" title={figures.priceNative ?? ''}>
            {formatPrice(figures.priceNative)} {native}
          </span>
        </p>
        <AlertButton token={token} />
      </div>
      <WindowBoxes {...props} />
      <TokenStats {...props} />
    </header>
  );
}
