// Alerts as they are asked for, listed and told.

import type { InputOf, OutputOf } from '../contract/operation.ts';
import type { createAlert } from '../contract/operations/alert-operations.ts';
import type { getTokenStream } from '../contract/operations/stream-token.ts';
import { parseAddress } from '../contract/parse-reference.ts';
import { buildInvalidInputError } from '../errors/app-error.ts';
import type { AddressCodec } from '../model/address-codec.ts';
import type { AlertCondition, AlertRecord, AlertState } from '../model/alert.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { NewsRecord } from '../model/news.ts';
import { parseDecimal } from './parse-token.ts';

type AlertAnswer = OutputOf<typeof createAlert>;
type AlertWhen = InputOf<typeof createAlert>['when'];
type AlertEvent = NonNullable<OutputOf<typeof getTokenStream>['alert']>;

/** How a chain writes what an alert names. */
interface ChainNaming {
  readonly chain: ChainSlug;
  readonly addresses: AddressCodec;
}

/** The one entry of an object that must have exactly one of its fields. */
function pickOnly<Fields extends object>(fields: Fields, path: string): [keyof Fields, unknown] {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  const [only] = given;
  if (only !== undefined && given.length === 1) return only as [keyof Fields, unknown];
  throw buildInvalidInputError([{ path, message: 'must have exactly one of its fields' }]);
}

export function parseCondition(when: AlertWhen, naming: ChainNaming): AlertCondition {
  const [kind] = pickOnly(when, 'when');
  const path = `when.${kind}`;
  const usd = (text: string, field: string) => parseDecimal(text, `${path}.${field}`);
  if (when.priceUsd !== undefined) {
    const [bound, at] = pickOnly(when.priceUsd, path);
    return { kind: 'priceUsd', when: bound, at: usd(at as string, bound) };
  }
  if (when.changePct !== undefined) {
    const { window, ...bounds } = when.changePct;
    const [bound, pct] = pickOnly(bounds, path);
    return { kind: 'changePct', window, when: bound, pct: pct as number };
  }
  if (when.volumeUsd !== undefined) {
    const { window, above } = when.volumeUsd;
    return { kind: 'volumeUsd', window, at: usd(above, 'above') };
  }
  if (when.liquidityUsd !== undefined) {
    const [bound, at] = pickOnly(when.liquidityUsd, path);
    return bound === 'dropPct'
      ? { kind: 'liquidityUsd', when: 'drop', pct: at as number }
      : { kind: 'liquidityUsd', when: 'below', at: usd(at as string, 'below') };
  }
  if (when.trade !== undefined) {
    const { valueUsdAbove, side = null } = when.trade;
    return { kind: 'trade', valueUsd: usd(valueUsdAbove, 'valueUsdAbove'), side };
  }
  if (when.wallet !== undefined) {
    const { chain, addresses } = naming;
    const field = `${path}.address`;
    const wallet = parseAddress(addresses, { chain, text: when.wallet.address, field });
    return { kind: 'wallet', wallet };
  }
  if (when.holdersTop10Pct !== undefined) {
    return { kind: 'holdersTop10Pct', at: when.holdersTop10Pct.above };
  }
  const { minLiquidityUsd = '0' } = when.newPool ?? {};
  return { kind: 'newPool', minLiquidityUsd: usd(minLiquidityUsd, 'minLiquidityUsd') };
}

function toWhen(condition: AlertCondition, addresses: AddressCodec): AlertWhen {
  switch (condition.kind) {
    case 'priceUsd':
      return { priceUsd: { [condition.when]: condition.at } };
    case 'changePct':
      return { changePct: { window: condition.window, [condition.when]: condition.pct } };
    case 'volumeUsd':
      return { volumeUsd: { window: condition.window, above: condition.at } };
    case 'liquidityUsd':
      return {
        liquidityUsd:
          condition.when === 'drop' ? { dropPct: condition.pct } : { below: condition.at },
      };
    case 'trade': {
      const { valueUsd: valueUsdAbove, side } = condition;
      return { trade: side === null ? { valueUsdAbove } : { valueUsdAbove, side } };
    }
    case 'wallet':
      return { wallet: { address: addresses.toShown(condition.wallet) } };
    case 'holdersTop10Pct':
      return { holdersTop10Pct: { above: condition.at } };
    case 'newPool':
      return { newPool: { minLiquidityUsd: condition.minLiquidityUsd } };
  }
}

export function buildAlertAnswer(
  record: AlertRecord,
  state: AlertState | undefined,
  { chain, addresses }: ChainNaming,
): AlertAnswer {
  const { rule, token } = record;
  const firings = state?.firings ?? 0;
  const isDone = rule.once && firings > 0;
  return {
    alertId: record.id,
    chain,
    mint: token === null ? null : addresses.toShown(token),
    webhookId: record.webhook,
    when: toWhen(rule.condition, addresses),
    minLiquidityUsd: rule.minLiquidityUsd,
    rearmPct: rule.rearmPct,
    cooldownSeconds: rule.cooldownMs / 1000,
    once: rule.once,
    status: state === undefined ? 'pending' : isDone ? 'done' : 'active',
    createdAt: record.createdAtMs,
    fromBlock: state?.fromBlock ?? null,
    firings,
    lastFiredAt: state?.firedAtMs ?? null,
    lastValue: state?.figure ?? null,
  };
}

/** What is told of a firing, on streams and to webhooks. */
export function buildAlertEvent(
  record: Extract<NewsRecord, { kind: 'alert' }>,
  { chain, addresses }: ChainNaming,
): AlertEvent {
  const { firing } = record;
  const { trade, pool, token } = firing;
  return {
    alertId: record.alert,
    webhookId: firing.webhook,
    chain,
    mint: token === null ? null : addresses.toShown(token),
    when: toWhen(firing.rule.condition, addresses),
    value: firing.figure,
    bound: firing.bound,
    trade: trade && {
      id: `${chain}:${trade.txHash}:${trade.index}`,
      txHash: trade.txHash,
      side: trade.side,
      wallet: addresses.toShown(trade.wallet),
      valueUsd: trade.valueUsd,
    },
    pool: pool === null ? null : addresses.toShown(pool),
    block: record.block,
    timestamp: record.timestampMs,
  };
}
