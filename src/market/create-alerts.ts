// Answers GET, POST and DELETE /alerts.

import type { HandlerContext } from '../contract/handler.ts';
import { type Identity, requireWallet } from '../contract/identity.ts';
import type { InputOf } from '../contract/operation.ts';
import type {
  createAlert,
  deleteAlert,
  getAlerts,
} from '../contract/operations/alert-operations.ts';
import { parseFollowedChain } from '../contract/parse-reference.ts';
import { AppError, buildInvalidInputError } from '../errors/app-error.ts';
import type { Clock } from '../lib/clock.ts';
import type { AlertState } from '../model/alert.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { Address, WalletId } from '../model/ids.ts';
import type { TokenRecord } from '../model/market-record.ts';
import type { ChainAlert } from '../store/alert-store.ts';
import type { WebhookStore } from '../store/webhook-store.ts';
import { buildAlertAnswer, parseCondition } from './alert-answers.ts';
import { buildInvalidCursorError, computeQueryMark, encodeCursor, parseCursor } from './cursor.ts';
import type { MarketParts } from './market-parts.ts';
import {
  buildTokenNotFoundError,
  parseDecimal,
  parseToken,
  requireReadable,
  type TokenReference,
  withLookup,
} from './parse-token.ts';

const PAGE_DEFAULT = 50;
/** Beyond every change. */
const FIRST_PAGE = Number.MAX_SAFE_INTEGER;
/** It is read with the next commits. */
const SUPPLY_RETRY_SECONDS = 5;
const WITHOUT_TOKEN: ReadonlySet<string> = new Set(['trade', 'wallet', 'newPool']);

type AlertParts = MarketParts & {
  readonly webhooks: Pick<WebhookStore, 'find' | 'list'>;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly createId: () => string;
};

async function toAnswers(parts: AlertParts, alerts: readonly ChainAlert[]) {
  const states = new Map<string, AlertState>();
  const byChain = Map.groupBy(alerts, ({ chain }) => chain);
  for (const [chain, ofChain] of byChain) {
    const ids = ofChain.map(({ record }) => record.id);
    for (const state of await parts.store.readAlertStates(chain, ids)) {
      const known = states.get(state.alert);
      if (known === undefined || known.block < state.block) states.set(state.alert, state);
    }
  }
  const webhooks = await readWebhooks(parts, alerts);
  return alerts.map(({ chain, record }) => {
    const addresses = parts.chains.findAddresses(chain);
    const answer = buildAlertAnswer(record, states.get(record.id), { chain, addresses });
    return webhooks.has(record.webhook) ? answer : { ...answer, webhookId: null };
  });
}

/** Those that still exist. */
async function readWebhooks(
  { webhooks }: AlertParts,
  alerts: readonly ChainAlert[],
): Promise<ReadonlySet<string | null>> {
  const owner = alerts.find(({ record }) => record.webhook !== null)?.record.owner;
  const own = owner === undefined ? [] : await webhooks.list(owner);
  return new Set(own.map(({ id }) => id));
}

async function checkWebhook(
  { webhooks }: AlertParts,
  {
    id,
    owner,
    chain,
  }: { readonly id: string; readonly owner: WalletId; readonly chain: ChainSlug },
): Promise<void> {
  const webhook = await webhooks.find(id);
  const isOwn = webhook?.walletId === owner;
  const isTold =
    webhook?.settings.events.includes('alert') && webhook.settings.chains.includes(chain);
  const message = isOwn
    ? `does not have the event alert of ${chain}`
    : 'is not one of your webhooks';
  if (!isOwn || !isTold) throw buildInvalidInputError([{ path: 'webhookId', message }]);
}

/** One that the index does not have is looked up. */
async function requireToken(
  parts: AlertParts,
  reference: TokenReference,
  context: HandlerContext,
): Promise<TokenRecord> {
  requireReadable(parts, reference);
  return await withLookup(parts, { reference, context }, async () => {
    const [row] = await parts.store.readTokens(reference.chain, [reference.token]);
    if (row === undefined) throw buildTokenNotFoundError(reference);
    return row;
  });
}

/** Shares of all balances are those of the supply only where all holders are known. */
function checkHolders(row: TokenRecord, coin: Address): void {
  const { balancesBroken, supplyRaw, supplyBalanceSumRaw } = row;
  if (!balancesBroken && supplyRaw !== null && supplyRaw === supplyBalanceSumRaw) return;
  // A mint or burn withdraws the sum until the supply is read again. The coin has no contract.
  if (!balancesBroken && supplyBalanceSumRaw === null && row.token !== coin) {
    const reason = 'The supply of this token is being read.';
    throw new AppError('NOT_READY', { reason }, { retryAfterSeconds: SUPPLY_RETRY_SECONDS });
  }
  const message = 'needs a token whose holders are all known';
  throw buildInvalidInputError([{ path: 'when.holdersTop10Pct', message }]);
}

async function create(
  parts: AlertParts,
  input: InputOf<typeof createAlert>,
  context: HandlerContext,
) {
  const owner = requireWallet(context.identity);
  const { mint, webhookId = null } = input;
  const chain = parseFollowedChain(parts.chains, input.chain, 'chain');
  const addresses = parts.chains.findAddresses(chain);
  const reference = mint === undefined ? null : parseToken(parts, { chain, mint });
  const condition = parseCondition(input.when, { chain, addresses });
  if (reference === null && !WITHOUT_TOKEN.has(condition.kind)) {
    throw buildInvalidInputError([{ path: 'mint', message: 'is required for this condition' }]);
  }
  const { minLiquidityUsd: floor, rearmPct, cooldownSeconds, once } = input;
  const minLiquidityUsd = floor === undefined ? null : parseDecimal(floor, 'minLiquidityUsd');
  const token = reference === null ? null : await requireToken(parts, reference, context);
  if (reference !== null && token !== null && condition.kind === 'holdersTop10Pct') {
    checkHolders(token, requireReadable(parts, reference).assets.coin);
  }
  if (webhookId !== null) await checkWebhook(parts, { id: webhookId, owner, chain });
  const max = parts.depthOf(context.identity).alerts;
  const alert = {
    ...{ id: parts.createId(), owner, webhook: webhookId, token: reference?.token ?? null },
    rule: { condition, minLiquidityUsd, rearmPct, cooldownMs: cooldownSeconds * 1000, once },
    createdAtMs: parts.clock.nowMs(),
  };
  const record = await parts.store.alerts.addAlert(chain, { alert, max });
  if (record === null) throw new AppError('ALERT_LIMIT_REACHED', { limit: max });
  return buildAlertAnswer(record, undefined, { chain, addresses });
}

async function list(parts: AlertParts, input: InputOf<typeof getAlerts>, identity: Identity) {
  const owner = requireWallet(identity);
  const { limit = PAGE_DEFAULT, cursor } = input;
  const mark = computeQueryMark(['alerts', owner]);
  const before = cursor === undefined ? FIRST_PAGE : Number(parseCursor(mark, cursor));
  if (!Number.isSafeInteger(before)) throw buildInvalidCursorError();
  const [found, active] = await Promise.all([
    parts.store.alerts.readAlertsOf(owner, { before, limit: limit + 1 }),
    parts.store.alerts.countAlerts(owner),
  ]);
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : undefined;
  return {
    alerts: await toAnswers(parts, page),
    active,
    limit: parts.depthOf(identity).alerts,
    nextCursor: last === undefined ? null : encodeCursor(mark, String(last.record.change)),
  };
}

async function end(parts: AlertParts, input: InputOf<typeof deleteAlert>, identity: Identity) {
  const owner = requireWallet(identity);
  const nowMs = parts.clock.nowMs();
  const ended = await parts.store.alerts.endAlert({ owner, id: input.id, nowMs });
  const [answer] = ended === null ? [] : await toAnswers(parts, [ended]);
  if (answer === undefined) throw new AppError('ALERT_NOT_FOUND', {});
  return answer;
}

export function createAlerts(parts: AlertParts) {
  return {
    getAlerts: (input: InputOf<typeof getAlerts>, { identity }: HandlerContext) =>
      list(parts, input, identity),
    createAlert: (input: InputOf<typeof createAlert>, context: HandlerContext) =>
      create(parts, input, context),
    deleteAlert: (input: InputOf<typeof deleteAlert>, { identity }: HandlerContext) =>
      end(parts, input, identity),
  };
}
