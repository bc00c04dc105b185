// Answers GET /token/safety: what was measured of a token, each fact with its source.

import { createOpenSerializer } from '../contract/create-open-serializer.ts';
import type { HandlerContext } from '../contract/handler.ts';
import type { InputOf, OutputOf } from '../contract/operation.ts';
import { getTokenSafety } from '../contract/operations/get-token-safety.ts';
import type { ReadyAnswer } from '../contract/ready-answer.ts';
import { warnOfLookalike, warnOfMeasured } from '../contract/safety-warnings.ts';
import { asOfSchema } from '../contract/schemas/market-schemas.ts';
import { pow10 } from '../lib/decimal.ts';
import type { Checkpoint, TokenRecord } from '../model/market-record.ts';
import type { PoolRecord } from '../model/pool.ts';
import { SAFETY_LIFE_MS } from '../model/pool-safety.ts';
import { computeEtag } from './answer-cache.ts';
import { serializeAsOf } from './as-of.ts';
import { pickTokenLiquidity, toUsdText } from './board/token-columns.ts';
import type { ContractBook } from './contract-book.ts';
import { isHoldersComplete } from './coverage.ts';
import { computePct } from './create-get-holders.ts';
import { type LaunchBundle, readLaunchBundle } from './launch-bundle.ts';
import {
  listPowerWarnings,
  listTokenFacts,
  type TokenFact,
  type TokenWarning,
} from './list-token-facts.ts';
import type { MarketChain, MarketParts } from './market-parts.ts';
import {
  buildTokenNotFoundError,
  parseToken,
  requireReadable,
  type TokenReference,
} from './parse-token.ts';
import { readAt } from './read-at.ts';
import { findFeeBps, findLookalike, type MeasuredSum, sumSafety } from './token-dangers.ts';
import { withLookup } from './with-lookup.ts';

type SafetyAnswer = OutputOf<typeof getTokenSafety>;

interface SafetyParts extends MarketParts {
  readonly nowMs: () => number;
  readonly contracts: Pick<ContractBook, 'find'>;
}

interface SafetyRead {
  readonly token: TokenRecord;
  /** The deepest. */
  readonly pools: readonly PoolRecord[];
  /** Of all; null if there are more than are shown. */
  readonly poolCount: number | null;
  /** What its ten largest holders have. */
  readonly topRaw: bigint;
  /** Null for a token without a launchpad's curve. */
  readonly bundle: LaunchBundle | null;
}

const POOLS_SHOWN_MAX = 50;
const TOP_COUNT = 10;
const THIN_USD_E18 = 10_000n * pow10(18);
const FRESH_MS = 24 * 3_600_000;

const serializeOpen = createOpenSerializer(getTokenSafety.output, 'asOf', asOfSchema);

/** What the last round trips say, as of now. */
interface Measured {
  readonly pools: SafetyAnswer['pools'];
  readonly sum: MeasuredSum | null;
  readonly isAnyStale: boolean;
  readonly unitName: string;
}

function measure(
  parts: SafetyParts,
  { chain, token, addresses }: TokenReference,
  pools: readonly PoolRecord[],
): Measured {
  const safety = parts.findSafety(chain);
  safety?.note(token);
  const nowMs = parts.nowMs();
  let isAnyStale = false;
  const shown = pools.map((row) => {
    const { pool, venue } = row;
    const known = safety?.find(pool) ?? null;
    const side = known && (known.token0 === token ? known.side0 : known.side1);
    const feeBps = findFeeBps(row, token);
    const add = (bps: number | null | undefined) => (bps == null ? null : bps + feeBps);
    const isOld = known !== null && nowMs - known.checkedAtMs > SAFETY_LIFE_MS;
    isAnyStale ||= isOld || safety?.isDoubted(pool) === true;
    return {
      pool: addresses.toShown(pool),
      venue,
      buyTaxBps: add(side?.outBps),
      sellTaxBps: add(side?.inBps),
      sellable: side?.sellable ?? null,
      checkedAt: known?.checkedAtMs ?? null,
    };
  });
  const sum = sumSafety(safety, pools, token);
  return { pools: shown, sum, isAnyStale, unitName: safety?.unitName ?? '' };
}

/** Null if no list says anything of this chain. */
function findVerified(parts: MarketParts, { chain, token }: TokenReference): boolean | null {
  const entries = parts.lists.directory.get(chain);
  return entries === undefined || entries.size === 0 ? null : entries.has(token);
}

/** What is said of a token that can be mistaken for one that a list vouches for. */
function tellLookalike(
  { lists, chains }: MarketParts,
  market: MarketChain,
  token: TokenRecord,
): { readonly fact: TokenFact; readonly warning: TokenWarning } | null {
  const found = findLookalike(lists, market, token);
  if (found === null) return null;
  const mint = chains.findAddresses(found.chain).toShown(found.token);
  const [code, message] = warnOfLookalike(found, { mint, chain: market.slug });
  const value = `${found.chain}:${mint}`;
  return { fact: { code: 'LOOKALIKE_OF', value, source: 'list' }, warning: { code, message } };
}

function listFacts(read: SafetyRead, measured: Measured, isVerified: boolean | null): TokenFact[] {
  const { token, poolCount, topRaw } = read;
  const { sum, pools } = measured;
  const isComplete = isHoldersComplete(token);
  const checkedCount = pools.filter(({ checkedAt }) => checkedAt !== null).length;
  return [
    { code: 'VERIFIED', value: isVerified, source: 'list' },
    { code: 'BUY_TAX_BPS', value: sum?.buyTaxBps ?? null, source: 'simulation' },
    { code: 'SELL_TAX_BPS', value: sum?.sellTaxBps ?? null, source: 'simulation' },
    { code: 'SELLABLE', value: sum?.sellable ?? null, source: 'simulation' },
    { code: 'POOLS', value: poolCount, source: 'index' },
    { code: 'POOLS_CHECKED', value: checkedCount, source: 'simulation' },
    { code: 'LIQUIDITY_USD', value: toUsdText(pickTokenLiquidity(token)), source: 'index' },
    { code: 'FIRST_SEEN_AT', value: token.firstSeenAtMs, source: 'index' },
    { code: 'SUPPLY_RAW', value: token.supplyRaw?.toString() ?? null, source: 'contract' },
    { code: 'HOLDERS', value: isComplete ? token.holders : null, source: 'index' },
    {
      code: 'TOP10_PCT',
      value: isComplete ? computePct(topRaw, token.supplyRaw) : null,
      source: 'index',
    },
    ...(read.bundle === null ? [] : listBundleFacts(read.bundle, token)),
  ];
}

/** What was bought in the very block in which a launchpad opened the token's curve. */
function listBundleFacts(bundle: LaunchBundle, { supplyRaw }: TokenRecord): TokenFact[] {
  const source = 'index' as const;
  if (bundle.kind === 'unknown') {
    const unknown = { value: null, source, reason: bundle.reason };
    return ['LAUNCH_BUNDLE_PCT', 'LAUNCH_BUNDLE_WALLETS'].map((code) => ({ code, ...unknown }));
  }
  const { block, boughtRaw, walletCount } = bundle;
  const value = computePct(boughtRaw, supplyRaw);
  return [
    { code: 'LAUNCH_BUNDLE_PCT', value, source, block },
    { code: 'LAUNCH_BUNDLE_WALLETS', value: walletCount, source, block },
  ];
}

function* listWarnings(
  { token }: SafetyRead,
  measured: Measured,
  of: {
    /** Whether everybody uses it as money. */
    readonly isAsset: boolean;
    readonly isVerified: boolean | null;
    readonly checkpoint: Checkpoint;
  },
): Generator<TokenWarning> {
  if (of.isVerified === false) {
    yield { code: 'UNVERIFIED', message: 'No token list of this server vouches for the address.' };
  }
  const liquidity = of.isAsset ? null : pickTokenLiquidity(token);
  if (liquidity !== null && liquidity < THIN_USD_E18) {
    yield { code: 'THIN_LIQUIDITY', message: 'The pools of the token hold less than 10,000 USD.' };
  }
  const ageMs = of.checkpoint.timestampMs - token.firstSeenAtMs;
  // The first transfer is known only if all balances are known.
  if (isHoldersComplete(token) && ageMs < FRESH_MS) {
    yield { code: 'FRESH_TOKEN', message: 'The token is less than 24 hours old.' };
  }
  if (measured.pools.some(({ checkedAt }) => checkedAt === null)) {
    const message = 'Not every pool has been checked with a simulated round trip.';
    yield { code: 'SAFETY_UNKNOWN', message };
  }
  if (measured.isAnyStale) {
    const message = 'The token may have changed since it was last checked; it is checked again.';
    yield { code: 'SAFETY_STALE', message };
  }
  if (measured.sum === null) return;
  for (const [code, message] of warnOfMeasured(measured.sum, measured.unitName)) {
    yield { code, message };
  }
}

async function makeAnswer(
  parts: SafetyParts,
  market: MarketChain,
  reference: TokenReference,
): Promise<ReadyAnswer> {
  const { chain, token } = reference;
  const { value, checkpoint } = await readAt(parts, chain, async (reader, at) => {
    const [row] = at === null ? [] : await reader.readTokens(chain, [token]);
    if (row === undefined) return null;
    const top = await reader.readTopPools(chain, [token], POOLS_SHOWN_MAX + 1);
    const holders = await reader.readBalancePage(chain, token, { after: null, limit: TOP_COUNT });
    const topRaw = holders.reduce((sum, { amountRaw }) => sum + amountRaw, 0n);
    const pools = top.get(token) ?? [];
    const poolCount = pools.length > POOLS_SHOWN_MAX ? null : pools.length;
    const bundle = await readLaunchBundle(reader, { chain, token, pools, checkpoint: at });
    return { token: row, pools: pools.slice(0, POOLS_SHOWN_MAX), poolCount, topRaw, bundle };
  });
  if (value === null || checkpoint === null) throw buildTokenNotFoundError(reference);
  const measured = measure(parts, reference, value.pools);
  const isVerified = findVerified(parts, reference);
  const reading = parts.contracts.find(market, token);
  const isAsset = market.assets.native.has(token) || market.assets.stable.has(token);
  const alike = tellLookalike(parts, market, value.token);
  const text = serializeOpen({
    pools: measured.pools,
    facts: [
      ...listFacts(value, measured, isVerified),
      ...(alike === null ? [] : [alike.fact]),
      ...listTokenFacts(reading, {
        addresses: reference.addresses,
        hasMints: market.hasMints === true,
      }),
    ],
    warnings: [
      ...(alike === null ? [] : [alike.warning]),
      ...listWarnings(value, measured, { isAsset, isVerified, checkpoint }),
      ...listPowerWarnings(reading, isAsset),
    ],
  });
  const bytes = Buffer.from(`${text},"asOf":${serializeAsOf(checkpoint)}}`);
  return { kind: 'ready', bytes, etag: computeEtag(text) };
}

export function createGetTokenSafety(parts: SafetyParts) {
  return (
    input: InputOf<typeof getTokenSafety>,
    context: HandlerContext,
  ): ReadyAnswer | Promise<ReadyAnswer> => {
    const reference = parseToken(parts, input);
    const market = requireReadable(parts, reference);
    return withLookup(parts, { reference, context }, () => makeAnswer(parts, market, reference));
  };
}
