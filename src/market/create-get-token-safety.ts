// Answers GET /token/safety: what was measured of a token, each fact with its source.

import { kindOf } from '../amm/pool-kinds.ts';
import { createOpenSerializer } from '../contract/create-serializer.ts';
import type { HandlerContext, ReadyAnswer } from '../contract/handler.ts';
import type { InputOf, OutputOf } from '../contract/operation.ts';
import { getTokenSafety } from '../contract/operations/get-token-safety.ts';
import { warnOfLookalike, warnOfMeasured, warnOfPowers } from '../contract/safety-warnings.ts';
import { asOfSchema } from '../contract/schemas/market-schemas.ts';
import { pow10, toUsdText } from '../lib/decimal.ts';
import type { AddressCodec } from '../model/address-codec.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { ContractFacts, MintFacts } from '../model/contract-facts.ts';
import type { Address } from '../model/ids.ts';
import type { LiquidityOwners } from '../model/liquidity-owners.ts';
import type { Checkpoint, TokenRecord } from '../model/market-record.ts';
import { pickTokenLiquidity } from '../model/market-record.ts';
import type { PoolRecord } from '../model/pool.ts';
import { type PoolSafety, SAFETY_LIFE_MS } from '../model/pool-safety.ts';
import { computeEtag } from './commit-cache.ts';
import type { ContractBook, ContractReading } from './contract-book.ts';
import { isHoldersComplete } from './coverage.ts';
import { computePct } from './create-get-holders.ts';
import type { MarketChain, MarketParts } from './market-parts.ts';
import {
  buildTokenNotFoundError,
  parseToken,
  requireReadable,
  type TokenReference,
  withLookup,
} from './parse-token.ts';
import { type AnswerReader, readAt, serializeAsOf } from './read-at.ts';
import { findFeeBps, findLookalike, type MeasuredSum, sumSafety } from './token-summary.ts';

// What a token's contract or mint shows of itself, as facts and warnings of its safety.

type SafetyReport = OutputOf<typeof getTokenSafety>;
type TokenFact = SafetyReport['facts'][number];
type TokenWarning = SafetyReport['warnings'][number];

/** Why there are no facts of a contract or mint. */
const NO_FACTS: Readonly<Record<Exclude<ContractReading['kind'], 'read'>, string>> = {
  pending: 'The chain is being asked; ask again after some seconds.',
  failed: 'The node of the chain did not answer; it is asked again.',
  noCode: 'There is no contract or mint at this address.',
  unsupported: 'Tokens of this chain have no code of their own.',
};

const CONTRACT_CODES = ['OWNER', 'MINTABLE', 'PROXY'] as const;
const MINT_CODES = [
  ...['TOKEN_PROGRAM', 'MINT_AUTHORITY', 'FREEZE_AUTHORITY', 'TRANSFER_FEE_BPS'],
  ...['TRANSFER_FEE_MAX_RAW', 'TRANSFER_HOOK', 'PERMANENT_DELEGATE', 'FROZEN_BY_DEFAULT'],
  ...['PAUSE_AUTHORITY', 'PAUSED', 'TRANSFERABLE', 'TOP10_ACCOUNTS_PCT'],
] as const;

function listContractFacts(facts: ContractFacts, addresses: AddressCodec): TokenFact[] {
  const source = 'contract' as const;
  const { owner, isMintable, isProxy } = facts;
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

function listMintFacts(facts: MintFacts, addresses: AddressCodec): TokenFact[] {
  const { slot, transferFee, nextTransferFee, largestPct } = facts;
  /** False says that nobody has the power. */
  const nameHolder = (holder: Address | null) =>
    holder === null ? false : addresses.toShown(holder);
  const values: readonly (readonly [string, TokenFact['value']])[] = [
    ['TOKEN_PROGRAM', facts.program],
    ['MINT_AUTHORITY', nameHolder(facts.mintAuthority)],
    ['FREEZE_AUTHORITY', nameHolder(facts.freezeAuthority)],
    ['TRANSFER_FEE_BPS', transferFee?.bps ?? 0],
    ['TRANSFER_FEE_MAX_RAW', transferFee?.maxRaw.toString() ?? '0'],
    ...(nextTransferFee === null
      ? []
      : ([['NEXT_TRANSFER_FEE_BPS', nextTransferFee.bps]] as const)),
    ['TRANSFER_HOOK', nameHolder(facts.transferHook)],
    ['PERMANENT_DELEGATE', nameHolder(facts.permanentDelegate)],
    ['FROZEN_BY_DEFAULT', facts.isDefaultFrozen],
    ['PAUSE_AUTHORITY', nameHolder(facts.pauseAuthority)],
    ['PAUSED', facts.isPaused],
    ['TRANSFERABLE', facts.isTransferable],
    ['TOP10_ACCOUNTS_PCT', largestPct],
  ];
  return values.map(([code, value]) => ({
    ...{ code, value, source: 'mint', block: slot },
    ...(value === null ? { reason: 'The node does not list the largest accounts.' } : {}),
  }));
}

/** A fact that is unknown says why. */
function listTokenFacts(
  reading: ContractReading,
  of: { readonly addresses: AddressCodec; readonly hasMints: boolean },
): TokenFact[] {
  if (reading.kind === 'read') {
    const { facts } = reading;
    return facts.kind === 'mint'
      ? listMintFacts(facts, of.addresses)
      : listContractFacts(facts, of.addresses);
  }
  const source = of.hasMints ? 'mint' : 'contract';
  const unknown = { value: null, source, reason: NO_FACTS[reading.kind] } as const;
  const codes: readonly string[] = of.hasMints ? MINT_CODES : CONTRACT_CODES;
  return codes.map((code) => ({ code, ...unknown }));
}

/** Powers of others over a holder's tokens; none of tokens that everybody uses as money. */
function* listPowerWarnings(reading: ContractReading, isAsset: boolean): Generator<TokenWarning> {
  if (reading.kind !== 'read' || reading.facts.kind !== 'mint' || isAsset) return;
  const { facts } = reading;
  const powers = {
    canMint: facts.mintAuthority !== null,
    canFreeze: facts.freezeAuthority !== null,
    canTake: facts.permanentDelegate !== null,
  };
  for (const [code, message] of warnOfPowers(powers)) yield { code, message };
  if (facts.transferHook !== null) {
    yield { code: 'TRANSFER_HOOK', message: 'Every transfer calls a program of its own.' };
  }
  if (facts.isDefaultFrozen) {
    const message = 'New accounts of the token are frozen until its authority thaws them.';
    yield { code: 'FROZEN_BY_DEFAULT', message };
  }
  if (facts.pauseAuthority !== null) {
    const message = facts.isPaused
      ? 'All transfers of the token are stopped.'
      : 'Its authority may stop all transfers of the token.';
    yield { code: 'PAUSABLE', message };
  }
  if (!facts.isTransferable) {
    yield { code: 'NON_TRANSFERABLE', message: 'The token cannot be transferred.' };
  }
  if (facts.nextTransferFee !== null) {
    const pct = facts.nextTransferFee.bps / 100;
    const message = `From epoch ${facts.nextTransferFee.fromEpoch} on, transfers cost ${pct} %.`;
    yield { code: 'TRANSFER_FEE_CHANGES', message };
  }
}

// What was bought of a token in the very block in which a launchpad opened its curve: purchases
// that nobody could make who was not told before.

type LaunchBundle =
  | {
      readonly kind: 'known';
      readonly block: number;
      readonly boughtRaw: bigint;
      readonly walletCount: number;
    }
  | { readonly kind: 'unknown'; readonly reason: string };

interface BundleQuery {
  readonly chain: ChainSlug;
  readonly token: Address;
  readonly pools: readonly PoolRecord[];
  readonly checkpoint: Checkpoint | null;
}

/** Null for a token without a launchpad's curve. */
async function readLaunchBundle(
  reader: Pick<AnswerReader, 'readTradeRange'>,
  { chain, token, pools, checkpoint }: BundleQuery,
): Promise<LaunchBundle | null> {
  const curve = pools.find((row) => {
    return row.token0 === token && (kindOf(row).findLaunch?.(row) ?? null) !== null;
  });
  if (curve === undefined) return null;
  const { pool, createdBlock: block, createdAtMs: fromMs } = curve;
  if (fromMs === 0) return { kind: 'unknown', reason: 'The launch is older than the index.' };
  if (fromMs < (checkpoint?.tradesFromMs ?? 0)) {
    return { kind: 'unknown', reason: 'Trades of that time are no longer stored.' };
  }
  const trades = await reader.readTradeRange(chain, { token, pool }, { fromMs, toMs: fromMs + 1 });
  const bought = trades.filter((trade) => trade.block === block && trade.side === 'buy');
  return {
    ...{ kind: 'known', block },
    boughtRaw: bought.reduce((sum, { amountRaw }) => sum + amountRaw, 0n),
    walletCount: new Set(bought.map(({ wallet }) => wallet)).size,
  };
}

type SafetyAnswer = OutputOf<typeof getTokenSafety>;

interface SafetyParts extends MarketParts {
  readonly nowMs: () => number;
  readonly contracts: Pick<ContractBook, 'find' | 'findOwners'>;
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

/** The contract that a pool calls, and what the last round trip cost there. */
function describeHook(
  { addresses, findHook }: MarketChain,
  row: PoolRecord,
  of: { readonly token: Address; readonly fees: PoolSafety['hookFees'] },
): SafetyAnswer['pools'][number]['hook'] {
  const hook = findHook(row);
  if (hook === null) return null;
  const { zeroForOne = null, oneForZero = null } = of.fees ?? {};
  const isToken0 = row.token0 === of.token;
  return {
    ...{ address: addresses.toShown(hook.address), class: hook.class, flags: [...hook.flags] },
    setsFee: hook.setsFee,
    buyFeePips: isToken0 ? oneForZero : zeroForOne,
    sellFeePips: isToken0 ? zeroForOne : oneForZero,
    source: 'index',
  };
}

/** Null for a pool of which that was not read. */
function describeOwners(
  addresses: AddressCodec,
  owners: LiquidityOwners | null,
): SafetyAnswer['pools'][number]['liquidity'] {
  if (owners === null) return null;
  const { sharesRaw, burnedRaw, lockedRaw, lockers, untilMs, block } = owners;
  const where = lockers.map(({ name, address }) => ({ name, address: addresses.toShown(address) }));
  return {
    lpBurnedPct: computePct(burnedRaw, sharesRaw) ?? 0,
    lpLocked: { pct: computePct(lockedRaw, sharesRaw) ?? 0, until: untilMs, where },
    ...{ source: 'contract', block },
  };
}

function measure(
  parts: SafetyParts,
  market: MarketChain,
  { chain, token, addresses }: TokenReference,
  pools: readonly PoolRecord[],
): Measured {
  const safety = parts.findSafety(chain);
  safety?.note(token);
  const nowMs = parts.nowMs();
  const reading = parts.contracts.findOwners(market, token, pools);
  const owners = reading.kind === 'read' ? reading.facts : null;
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
      liquidity: describeOwners(addresses, owners?.get(pool) ?? null),
      hook: describeHook(market, row, { token, fees: known?.hookFees ?? null }),
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
): {
  readonly fact: TokenFact;
  readonly warning: TokenWarning;
  readonly of: NonNullable<SafetyAnswer['lookalikeOf']>;
} | null {
  const found = findLookalike(lists, market, token);
  if (found === null) return null;
  const mint = chains.findAddresses(found.chain).toShown(found.token);
  const [code, message] = warnOfLookalike(found, { mint, chain: market.slug });
  const value = `${found.chain}:${mint}`;
  const of = { chain: found.chain, mint, symbol: found.symbol, source: 'list' } as const;
  return {
    fact: { code: 'LOOKALIKE_OF', value, source: 'list' },
    warning: { code, message },
    of,
  };
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
  if (measured.pools.some(({ hook }) => hook?.class === 'before' || hook?.class === 'delta')) {
    const message = 'A pool of the token has a hook that may change what it pays, or refuse.';
    yield { code: 'HOOKED_POOL', message };
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
  const measured = measure(parts, market, reference, value.pools);
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
    lookalikeOf: alike?.of ?? null,
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
