// One row of the list of tokens.

import type { ListedTokenRow, WindowName } from '../../api/contract-types.ts';
import { formatCompactUsd, formatCount } from '../../format/format-amount.ts';
import { formatUsd } from '../../format/format-price.ts';
import { AgeText } from '../../parts/age-text.tsx';
import { ChangeText } from '../../parts/change-text.tsx';
import { DangerBadges } from '../../parts/danger-badges.tsx';
import { LaunchProgress } from '../../parts/launch-progress.tsx';
import { LiveText } from '../../parts/live-text.tsx';
import { SparkLine } from '../../parts/spark-line.tsx';
import { ChainTokenLogo } from '../../parts/token-logo.tsx';
import { WatchButton } from '../../parts/watch-button.tsx';
import { buildTokenHref } from '../../routes.ts';
import { findChain } from '../../state/chains.ts';
import { texts } from '../../texts.ts';
import { findLivePrice } from './live-prices.ts';
import { buildTokenKey, type DatedTokenRow } from './merge-list-pages.ts';

interface TokenRowProps {
  readonly row: DatedTokenRow;
  readonly at: number;
  readonly window: WindowName;
}

/** The stream's figures where they are newer than the list's. */
function pickFigures(row: DatedTokenRow) {
  const live = findLivePrice(buildTokenKey(row)).value;
  return live !== null && live.block >= row.block ? { ...row, ...live } : row;
}

interface TokenNameProps {
  readonly row: ListedTokenRow;
  readonly volume: string;
  readonly liquidity: string;
}

/** Where columns are left out, the second line has their figures. */
function TokenName({ row, volume, liquidity }: TokenNameProps) {
  const chain = findChain(row.chain)?.name ?? row.chain;
  const { launchpad } = row;
  const isLaunching = launchpad !== null && launchpad.graduatedAt === null;
  return (
    <a class="token-name" href={buildTokenHref(row)}>
      <ChainTokenLogo chain={row.chain} logoUrl={row.logoUrl} symbol={row.symbol} />
      <span class="two-lines">
        <span class="line" title={row.symbol ?? ''}>
          <strong>{row.symbol ?? texts.token.unnamed}</strong>
          {row.verified.length > 0 && (
            <span class="verified" title={texts.tokens.verified(row.verified.join(', '))}>
              ✓
            </span>
          )}
        </span>
        <span class="line soft wide" title={row.name ?? ''}>
          <DangerBadges codes={row.warnings} max={1} />
          {launchpad !== null && <LaunchProgress launchpad={launchpad} />}
          {row.name ?? row.mint} · {chain}
        </span>
        <span class="line soft small narrow" title={row.name ?? ''}>
          <DangerBadges codes={row.warnings} max={1} />
          {launchpad !== null && <LaunchProgress launchpad={launchpad} />}
          {/* Beside a badge there is no room for both. */}
          {launchpad === null && row.warnings.length === 0 && (
            <span class="roomy">{texts.tokens.foldedVolume(volume)} </span>
          )}
          {!isLaunching && texts.tokens.foldedLiquidity(liquidity)}
        </span>
      </span>
    </a>
  );
}

export function TokenRow({ row, at, window }: TokenRowProps) {
  const figures = pickFigures(row);
  const isDay = window === '24h';
  const change = isDay ? figures.priceChange24hPct : row.windows[window].priceChangePct;
  const volume = isDay ? figures.volume24hUsd : row.windows[window].volumeUsd;
  const trades = isDay ? figures.trades24h : row.windows[window].trades;
  return (
    <tr aria-rowindex={at + 2}>
      <th scope="row">
        <span class="watched-name">
          <WatchButton token={row} />
          <TokenName
            row={row}
            volume={formatCompactUsd(volume)}
            liquidity={formatCompactUsd(figures.liquidityUsd)}
          />
        </span>
      </th>
      <td class="number">
        <LiveText text={formatUsd(figures.priceUsd)} value={figures.priceUsd} />
      </td>
      <td class="number">
        <ChangeText value={change} />
      </td>
      <td class="wide">
        <SparkLine prices={row.sparkline ?? null} />
      </td>
      <td class="number wide" title={volume ?? ''}>
        {formatCompactUsd(volume)}
      </td>
      <td class="number wide" title={figures.liquidityUsd ?? ''}>
        {formatCompactUsd(figures.liquidityUsd)}
      </td>
      <td class="number wider" title={figures.marketCapUsd ?? ''}>
        {formatCompactUsd(figures.marketCapUsd)}
      </td>
      <td class="number wider">{formatCount(trades)}</td>
      <td class="number wider">
        <AgeText timeMs={row.createdAt} />
      </td>
    </tr>
  );
}
