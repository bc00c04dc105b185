// Answers GET /token/safety: what was measured of a token, each fact with its source.

import { createOpenSerializer } from '../contract/create-open-serializer.ts';
import type { HandlerContext } from '../contract/handler.ts';
import type { InputOf, OutputOf } from '../contract/operation.ts';
import { getTokenSafety } from '../contract/operations/get-token-safety.ts';
import type { ReadyAnswer } from '../contract/ready-answer.ts';
import { warnOfMeasured } from '../contract/safety-warnings.ts';
import { asOfSchema } from '../contract/schemas/market-schemas.ts';
import { pow10 } from '../lib/decimal.ts';
import type { AddressCodec } from '../model/address-codec.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { Address, PoolId } from '../model/ids.ts';
import type { Checkpoint, TokenRecord } from '../model/market-record.ts';
import type { PoolRecord } from '../model/pool.ts';
import { type PoolSafety, SAFETY_LIFE_MS } from '../model/pool-safety.ts';
import { computeEtag } from './answer-cache.ts';
import { serializeAsOf } from './as-of.ts';
import { pickTokenLiquidity, toUsdText } from './board/token-columns.ts';
import { ContractBook, type ContractReading } from './contract-book.ts';
import { isHoldersComplete } from './coverage.ts';
import { computePct } from './create-get-holders.ts';
import type { MarketChain, MarketParts } from './market-parts.ts';
import {
  buildTokenNotFoundError,
  parseToken,
  requireReadable,
  type TokenReference,
} from './parse-token.ts';
import { readAt } from './read-at.ts';
import { withLookup } from './with-lookup.ts';

type SafetyAnswer = OutputOf<typeof getTokenSafety>;
type Fact = SafetyAnswer['facts'][number];
type Warning = SafetyAnswer['warnings'][number];

/** What round trips through a chain's pools have shown. */
interface ChainSafety {
  /** What the chain calls a unit of a transaction's cost. */
  readonly unitName: string;
  /** Null if the pool was not measured. */
  find(pool: PoolId): PoolSafety | null;
  /** Whether there is evidence against the last measurement. */
  isDoubted(pool: PoolId): boolean;
  /** Over several pools; null if none of them was measured. */
  sum(pools: readonly PoolId[], token: Address): Parameters<typeof warnOfMeasured>[0] | null;
  /** Somebody asks about a token: its pools are measured. */
  note(token: Address): void;
}

interface SafetyParts extends MarketParts {
  /** Null while the chain is being prepared. */
  readonly findSafety: (chain: ChainSlug) => ChainSafety | null;
  readonly nowMs: () => number;
}

interface SafetyRead {
  readonly token: TokenRecord;
  /** The deepest. */
  readonly pools: readonly PoolRecord[];
  /** Of all; null if there are more than are shown. */
  readonly poolCount: number | null;
  /** What its ten largest holders have. */
  readonly topRaw: bigint;
}

const POOLS_SHOWN_MAX = 50;
const TOP_COUNT = 10;
const THIN_USD_E18 = 10_000n * pow10(18);
const FRESH_MS = 24 * 3_600_000;

const serializeOpen = createOpenSerializer(getTokenSafety.output, 'asOf', asOfSchema);

/** What the last round trips say, as of now. */
interface Measured {
  readonly pools: SafetyAnswer['pools'];
  readonly sum: ReturnType<ChainSafety['sum']>;
  readonly isAnyStale: boolean;
  readonly unitName: string;
}

function measure(
  parts: SafetyParts,
  { chain, token, addresses }: TokenReference,
  pools: readonly PoolRecord[],
): Measured {
  const safety = parts.findSafety(chain);
  const ids = pools.map(({ pool }) => pool);
  safety?.note(token);
  const nowMs = parts.nowMs();
  let isAnyStale = false;
  const shown = pools.map(({ pool, venue }) => {
    const known = safety?.find(pool) ?? null;
    const side = known && (known.token0 === token ? known.side0 : known.side1);
    const isOld = known !== null && nowMs - known.checkedAtMs > SAFETY_LIFE_MS;
    isAnyStale ||= isOld || safety?.isDoubted(pool) === true;
    return {
      pool: addresses.toShown(pool),
      venue,
      buyTaxBps: side?.outBps ?? null,
      sellTaxBps: side?.inBps ?? null,
      sellable: side?.sellable ?? null,
      checkedAt: known?.checkedAtMs ?? null,
    };
  });
  const sum = safety?.sum(ids, token) ?? null;
  return { pools: shown, sum, isAnyStale, unitName: safety?.unitName ?? '' };
}

/** Null if no list says anything of this chain. */
function findVerified(parts: MarketParts, { chain, token }: TokenReference): boolean | null {
  const entries = parts.lists.directory.get(chain);
  return entries === undefined || entries.size === 0 ? null : entries.has(token);
}

/** Why there are no facts of a contract. */
const NO_FACTS: Readonly<Record<Exclude<ContractReading['kind'], 'read'>, string>> = {
  pending: 'The contract is being read; ask again after some seconds.',
  failed: 'The node of the chain did not answer; it is asked again.',
  noCode: 'There is no code at this address.',
  unsupported: 'Tokens of this chain have no code of their own.',
};

/** What the contract shows; a fact that is unknown says why. */
function listContractFacts(reading: ContractReading, addresses: AddressCodec): Fact[] {
  const source = 'contract' as const;
  if (reading.kind !== 'read') {
    const unknown = { value: null, source, reason: NO_FACTS[reading.kind] };
    return ['OWNER', 'MINTABLE', 'PROXY'].map((code) => ({ code, ...unknown }));
  }
  const { owner, isMintable, isProxy } = reading.facts;
  const noOwner = { value: null, source, reason: 'The contract names no owner.' };
  const elsewhere = { value: null, source, reason: 'The code is behind a proxy.' };
  return [
    {
      code: 'OWNER',
      ...(owner === null ? noOwner : { value: addresses.toShown(owner), source }),
    },
    { code: 'MINTABLE', ...(isMintable === null ? elsewhere : { value: isMintable, source }) },
    { code: 'PROXY', value: isProxy, source },
  ];
}

function listFacts(read: SafetyRead, measured: Measured, isVerified: boolean | null): Fact[] {
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
  ];
}

function* listWarnings(
  { token }: SafetyRead,
  measured: Measured,
  of: {
    readonly market: MarketChain;
    readonly isVerified: boolean | null;
    readonly checkpoint: Checkpoint;
  },
): Generator<Warning> {
  const { assets } = of.market;
  const isAsset = assets.native.has(token.token) || assets.stable.has(token.token);
  if (of.isVerified === false) {
    yield { code: 'UNVERIFIED', message: 'No token list of this server vouches for the address.' };
  }
  const liquidity = isAsset ? null : pickTokenLiquidity(token);
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
  { contracts, ...parts }: SafetyParts & { readonly contracts: ContractBook },
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
    return { token: row, pools: pools.slice(0, POOLS_SHOWN_MAX), poolCount, topRaw };
  });
  if (value === null || checkpoint === null) throw buildTokenNotFoundError(reference);
  const measured = measure(parts, reference, value.pools);
  const isVerified = findVerified(parts, reference);
  const text = serializeOpen({
    pools: measured.pools,
    facts: [
      ...listFacts(value, measured, isVerified),
      ...listContractFacts(contracts.find(market, token), reference.addresses),
    ],
    warnings: [...listWarnings(value, measured, { market, isVerified, checkpoint })],
  });
  const bytes = Buffer.from(`${text},"asOf":${serializeAsOf(checkpoint)}}`);
  return { kind: 'ready', bytes, etag: computeEtag(text) };
}

export function createGetTokenSafety(given: SafetyParts) {
  const parts = { ...given, contracts: new ContractBook(given) };
  return (
    input: InputOf<typeof getTokenSafety>,
    context: HandlerContext,
  ): ReadyAnswer | Promise<ReadyAnswer> => {
    const reference = parseToken(parts, input);
    const market = requireReadable(parts, reference);
    return withLookup(parts, { reference, context }, () => makeAnswer(parts, market, reference));
  };
}
