// What a trader looks at before an amount is entered: the price, who trades, and what is held.

import { api } from '../../../api/api-client.ts';
import type {
  TokenReply,
  WalletBalancesReply,
  WalletPositionsReply,
} from '../../../api/contract-types.ts';
import { useResource } from '../../../api/use-resource.ts';
import { formatCompact, formatCompactUsd, formatCount } from '../../../format/format-amount.ts';
import { formatPrice, formatUsd } from '../../../format/format-price.ts';
import { estimateUsd } from '../../../format/token-units.ts';
import { ProfitText } from '../../../parts/figure-text.tsx';
import { findOwnAddress } from '../../../state/account.ts';
import { findChain } from '../../../state/chains.ts';
import { texts } from '../../../texts.ts';
import type { TokenFeed } from '../token-feed.ts';
import { pickTokenFigures } from '../token-figures.ts';

const REFRESH_MS = 30_000;
const RATE_DIGITS = 18;

interface IdleFiguresProps {
  readonly token: TokenReply;
  readonly feed: TokenFeed;
  /** Of the signed-in wallet; null if they are not known. */
  readonly balances: WalletBalancesReply | null;
}

/** Of the first page: a wallet with more positions than fit on it may not see this one. */
function useOwnPosition({ chain, mint }: TokenReply) {
  const wallet = findOwnAddress(chain);
  const { value } = useResource<WalletPositionsReply>({
    key: wallet === null ? null : `${chain}:${wallet}`,
    load: (signal) => api.getWalletPositions({ chain, wallet: wallet ?? '' }, { signal }),
    refreshMs: REFRESH_MS,
  });
  return value?.positions.find((position) => position.mint === mint) ?? null;
}

function Position({ token, balances, priceUsd }: IdleFiguresProps & { priceUsd: string | null }) {
  const position = useOwnPosition(token);
  const { idle } = texts.swap;
  const held = balances?.balances.find(({ mint }) => mint === token.mint)?.amount ?? null;
  if (balances === null) return null;
  return (
    <>
      <dt>{idle.held}</dt>
      <dd title={held ?? ''}>
        {formatCompact(held ?? '0')} {token.symbol ?? ''}{' '}
        <span class="soft">{formatCompactUsd(estimateUsd(held ?? '0', priceUsd))}</span>
      </dd>
      {position !== null && (
        <>
          <dt>{idle.cost}</dt>
          <dd>{formatUsd(position.averageCostUsd)}</dd>
          <dt>{idle.unrealised}</dt>
          <dd>
            <ProfitText value={position.unrealisedUsd} />
          </dd>
          <dt>{idle.realised}</dt>
          <dd>
            <ProfitText value={position.realisedUsd} />
          </dd>
        </>
      )}
    </>
  );
}

export function IdleFigures(props: IdleFiguresProps) {
  const { token } = props;
  const figures = pickTokenFigures(props);
  const { priceUsd, priceNative, liquidityUsd } = figures;
  const native = findChain(token.chain)?.native ?? null;
  const { idle } = texts.swap;
  const rate = Number(priceNative ?? 0);
  const { buys, sells } = figures.windows['1h'];
  return (
    <dl class="quote">
      <dt>{idle.price}</dt>
      <dd title={priceUsd ?? ''}>{formatUsd(priceUsd)}</dd>
      {rate > 0 && (
        <>
          <dt>{idle.rate(native?.symbol ?? '')}</dt>
          <dd>
            {texts.swap.about} {formatPrice((1 / rate).toFixed(RATE_DIGITS))} {token.symbol ?? ''}
          </dd>
        </>
      )}
      <dt>{idle.liquidity}</dt>
      <dd title={liquidityUsd ?? ''}>{formatCompactUsd(liquidityUsd)}</dd>
      <dt>{idle.hour}</dt>
      <dd>{texts.token.buys(formatCount(buys), formatCount(sells))}</dd>
      <Position {...props} priceUsd={priceUsd} />
    </dl>
  );
}
