// One transaction: how far it is, what the wallet paid and received, and where to read on.

import { api } from '../../api/api-client.ts';
import type { TradeStatusReply } from '../../api/contract-types.ts';
import { useResource } from '../../api/use-resource.ts';
import { currentLocation } from '../../current-location.ts';
import { formatCount } from '../../format/format-amount.ts';
import { formatPrice } from '../../format/format-price.ts';
import { ExplorerLink } from '../../parts/address-text.tsx';
import { ChainName } from '../../parts/chain-icon.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { buildTokenHref } from '../../routes.ts';
import { texts } from '../../texts.ts';

const REFRESH_MS = 5000;

type Exchanged = NonNullable<TradeStatusReply['paid']>;

function Amount({ exchanged, chain }: { exchanged: Exchanged; chain: string }) {
  const text = `${formatPrice(exchanged.amount)} ${exchanged.symbol ?? texts.token.unnamed}`;
  if (exchanged.native) return <span title={exchanged.amount ?? ''}>{text}</span>;
  return (
    <a href={buildTokenHref({ chain, mint: exchanged.mint })} title={exchanged.amount ?? ''}>
      {text}
    </a>
  );
}

function TransactionFacts({ answer, chain }: { answer: TradeStatusReply; chain: string }) {
  const { paid, received, block, reason, tradeIds } = answer;
  const { transaction, swap } = texts;
  return (
    <>
      <p class="note" role="status">
        {transaction.states[answer.status]}
        {reason !== null && <span class="soft"> {reason}</span>}
      </p>
      <dl class="quote facts">
        <dt>{texts.tokens.chainLabel}</dt>
        <dd>
          <ChainName chain={chain} />
        </dd>
        <dt>{transaction.block}</dt>
        <dd>{formatCount(block)}</dd>
        <dt>{transaction.trades}</dt>
        <dd>{formatCount(tradeIds.length)}</dd>
        {paid !== null && (
          <>
            <dt>{swap.paid}</dt>
            <dd>
              <Amount exchanged={paid} chain={chain} />
            </dd>
          </>
        )}
        {received !== null && (
          <>
            <dt>{swap.received}</dt>
            <dd>
              <Amount exchanged={received} chain={chain} />
            </dd>
          </>
        )}
      </dl>
    </>
  );
}

export function TransactionPage() {
  const { query } = currentLocation.value;
  const [chain, txHash] = [query.get('chain') ?? '', query.get('txHash') ?? ''];
  const isNamed = chain !== '' && txHash !== '';
  const { value, problem, reload } = useResource<TradeStatusReply>({
    key: isNamed ? `${chain}:${txHash}` : null,
    load: (signal) => api.getTradeStatus({ chain, txHash }, { signal }),
    refreshMs: REFRESH_MS,
  });
  return (
    <div class="page">
      <h1>{texts.transaction.title}</h1>
      {isNamed ? (
        <p>
          <span class="mono break">{txHash}</span> <CopyButton text={txHash} />
          <ExplorerLink chain={chain} id={txHash} kind="tx" />
        </p>
      ) : (
        <p class="note">{texts.transaction.none}</p>
      )}
      {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
      {value !== null && <TransactionFacts answer={value} chain={chain} />}
      {isNamed && value === null && problem === null && <div class="page-space" aria-busy="true" />}
    </div>
  );
}
