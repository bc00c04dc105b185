// Answers GET /token/holders.

import { createOpenSerializer } from '../contract/create-serializer.ts';
import type { HandlerContext, ReadyAnswer } from '../contract/handler.ts';
import type { InputOf, OutputOf } from '../contract/operation.ts';
import { getHolders } from '../contract/operations/get-holders.ts';
import { asOfSchema } from '../contract/schemas/market-schemas.ts';
import { toUnits } from '../lib/decimal.ts';
import { UINT256_MAX } from '../lib/sortable-integer.ts';
import type { AddressCodec } from '../model/address-codec.ts';
import type { Address } from '../model/ids.ts';
import type { TokenRecord } from '../model/market-record.ts';
import type { BalancePosition } from '../store/market-reads.ts';
import { ALWAYS, type MadeAnswer, NEVER, toAnswerKey } from './commit-cache.ts';
import { readCoverage } from './coverage.ts';
import { buildInvalidCursorError, computeQueryMark, encodeCursor, parseCursor } from './cursor.ts';
import type { MarketChain, MarketParts } from './market-parts.ts';
import {
  buildTokenNotFoundError,
  chargeRows,
  checkLimit,
  createPrepare,
  parseToken,
  requireReadable,
  type TokenReference,
  withLookup,
} from './parse-token.ts';
import { type AnswerReader, readAt } from './read-at.ts';

// The kind of an owner: a pool, a burn address, a contract or a wallet.

type HolderKind = OutputOf<typeof getHolders>['holders'][number]['kind'];

/** The kinds of owners; null if only the chain knows and has not been asked yet. */
export async function readHolderKinds(
  reader: AnswerReader,
  market: MarketChain,
  owners: readonly Address[],
): Promise<ReadonlyMap<Address, HolderKind>> {
  const pools = await reader.findPools(market.slug, owners);
  const accounts = await reader.readAccounts(market.slug, owners);
  return new Map(
    owners.map((owner): [Address, HolderKind] => {
      if (market.burnAddresses.has(owner)) return [owner, 'burn'];
      if (pools.has(owner) || market.vaults.has(owner)) return [owner, 'pool'];
      const isContract = accounts.get(owner);
      if (isContract === undefined) return [owner, null];
      return [owner, isContract ? 'contract' : 'wallet'];
    }),
  );
}

type HoldersAnswer = OutputOf<typeof getHolders>;

const serializeOpen = createOpenSerializer(getHolders.output, 'asOf', asOfSchema);

/** A position among the holders, with the number of owners before it. */
interface HolderPosition extends BalancePosition {
  readonly rank: number;
}

interface Holder extends HolderPosition {
  readonly kind: HolderKind;
}

interface HolderRequest {
  readonly reference: TokenReference;
  readonly market: MarketChain;
  readonly exclude: ReadonlySet<HolderKind>;
  readonly after: HolderPosition | null;
  readonly limit: number;
  readonly mark: string;
}

const TOP_COUNT = 10;
/** How many pages of owners one answer may scan for those that are not excluded. */
const PAGES_MAX = 20;
/**
 * How many rounds of unknown addresses are resolved through the chain before answering without
 * them.
 */
const ATTEMPTS = 3;
const ASK_TIMEOUT_MS = 2000;

function parsePosition(addresses: AddressCodec, mark: string, cursor: string): HolderPosition {
  const [amount = '', text = '', rank = '', ...rest] = parseCursor(mark, cursor).split(' ');
  const owner = addresses.parse(text);
  const isAmount = /^\d{1,78}$/.test(amount) && BigInt(amount) <= UINT256_MAX;
  if (!isAmount || owner === null || !/^\d{1,15}$/.test(rank) || rest.length > 0) {
    throw buildInvalidCursorError();
  }
  return { amountRaw: BigInt(amount), owner, rank: Number(rank) };
}

/** Per cent of the supply, to six decimals; null if the supply is unknown or zero. */
export function computePct(amountRaw: bigint, supplyRaw: bigint | null): number | null {
  if (supplyRaw === null || supplyRaw === 0n) return null;
  return Number((amountRaw * 100_000_000n) / supplyRaw) / 1_000_000;
}

/** Holders after a position that are not excluded; those of unknown kind are recorded and kept. */
async function readHolders(
  reader: AnswerReader,
  request: HolderRequest,
  page: { readonly after: HolderPosition | null; readonly count: number },
): Promise<{ readonly holders: readonly Holder[]; readonly end: HolderPosition | null }> {
  const { reference, market, exclude } = request;
  const holders: Holder[] = [];
  let after = page.after;
  for (let count = 0; count < PAGES_MAX; count += 1) {
    const limit = page.count - holders.length;
    const balances = await reader.readBalancePage(reference.chain, reference.token, {
      after,
      limit,
    });
    const owners = balances.map(({ owner }) => owner);
    const kinds = await readHolderKinds(reader, market, owners);
    const rank = after?.rank ?? 0;
    balances.forEach(({ owner, amountRaw }, index) => {
      const holder = { owner, amountRaw, rank: rank + index + 1, kind: kinds.get(owner) ?? null };
      if (!exclude.has(holder.kind)) holders.push(holder);
      after = holder;
    });
    if (balances.length < limit) return { holders, end: null };
    if (holders.length >= page.count) break;
  }
  return { holders, end: after };
}

interface HoldersRead {
  readonly token: TokenRecord;
  readonly coverage: HoldersAnswer['coverage'];
  readonly holders: readonly Holder[];
  readonly next: HolderPosition | null;
  readonly top: readonly Holder[];
}

async function readAll(
  reader: AnswerReader,
  request: HolderRequest,
  token: TokenRecord,
): Promise<Omit<HoldersRead, 'coverage'>> {
  const { after, limit } = request;
  // Reading one more than requested shows whether there is a next page.
  const { holders, end } = await readHolders(reader, request, { after, count: limit + 1 });
  const shown = holders.slice(0, limit);
  const next = holders.length > limit ? (shown.at(-1) ?? null) : end;
  const top =
    after === null && shown.length >= TOP_COUNT
      ? shown
      : (await readHolders(reader, request, { after: null, count: TOP_COUNT })).holders;
  return { token, holders: shown, next, top: top.slice(0, TOP_COUNT) };
}

function buildAnswer(request: HolderRequest, read: HoldersRead): Omit<HoldersAnswer, 'asOf'> {
  const { token, next } = read;
  const { addresses } = request.reference;
  const { decimals, supplyRaw } = token;
  const topRaw = read.top.reduce((sum, { amountRaw }) => sum + amountRaw, 0n);
  return {
    // The native coin has no contract that records its holders.
    total: token.token === addresses.native ? null : token.holders,
    totalSupplyRaw: supplyRaw?.toString() ?? null,
    top10Pct: computePct(topRaw, supplyRaw),
    holders: read.holders.map(({ rank, owner, amountRaw, kind }) => ({
      rank,
      owner: addresses.toShown(owner),
      amountRaw: amountRaw.toString(),
      amount: decimals === null ? null : toUnits(amountRaw, decimals),
      pct: computePct(amountRaw, supplyRaw),
      kind,
    })),
    nextCursor:
      next === null
        ? null
        : encodeCursor(
            request.mark,
            `${next.amountRaw} ${addresses.toShown(next.owner)} ${next.rank}`,
          ),
    coverage: read.coverage,
  };
}

/**
 * Asks the chain which owners are contracts and stores the result; false if it does not respond.
 */
async function askKinds(
  parts: MarketParts,
  market: MarketChain,
  owners: ReadonlySet<Address>,
): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(ASK_TIMEOUT_MS);
    const accounts = await market.findContracts([...owners], signal);
    if (accounts.size > 0) await parts.store.putAccounts(market.slug, accounts);
    return accounts.size === owners.size;
  } catch {
    // The answer is sent without; endpoint health is reported elsewhere.
    return false;
  }
}

async function makeAnswer(parts: MarketParts, request: HolderRequest): Promise<MadeAnswer> {
  const { chain, token } = request.reference;
  const { store, standby } = parts;
  for (let attempt = 1; ; attempt += 1) {
    // Kinds are stored outside commits, so a standby without them does not look behind.
    const places = attempt === 1 ? { store, standby } : { store };
    const { value, checkpoint } = await readAt(places, chain, async (reader, at) => {
      const [record] = await reader.readTokens(chain, [token]);
      if (record === undefined || at === null) return null;
      const coverage = await readCoverage(reader, chain, { token: record, checkpoint: at });
      return { ...(await readAll(reader, request, record)), coverage };
    });
    if (value === null || checkpoint === null) throw buildTokenNotFoundError(request.reference);
    standby?.noteAnnounced(chain, checkpoint);
    const unknown = new Set(
      [...value.holders, ...value.top].flatMap(({ owner, kind }) => (kind === null ? [owner] : [])),
    );
    const isKnown = unknown.size === 0;
    const mayAsk = !isKnown && attempt < ATTEMPTS;
    if (mayAsk && (await askKinds(parts, request.market, unknown))) continue;
    // An answer with unknown kinds must not be reused, so that the next request asks again.
    const validity = isKnown ? ALWAYS : NEVER;
    return { text: serializeOpen(buildAnswer(request, value)), validity, checkpoint };
  }
}

export function createGetHolders(parts: MarketParts) {
  const prepare = createPrepare((input: InputOf<typeof getHolders>) => {
    const reference = parseToken(parts, input);
    const exclude = new Set(input.exclude ?? []);
    const excluded = [...exclude].sort().join(',');
    const mark = computeQueryMark(['holders', reference.chain, reference.token, excluded]);
    const addresses = parts.chains.findAddresses(reference.chain);
    const after = input.cursor === undefined ? null : parsePosition(addresses, mark, input.cursor);
    const query = `holders ${mark} ${input.limit} ${input.cursor ?? ''}`;
    const request = { reference, exclude, after, limit: input.limit, mark };
    return { request, key: toAnswerKey(reference, query) };
  });
  return (
    input: InputOf<typeof getHolders>,
    context: HandlerContext,
  ): ReadyAnswer | Promise<ReadyAnswer> => {
    checkLimit(parts, { limit: input.limit, of: 'holders' }, context);
    const { request, key } = prepare(input);
    const market = requireReadable(parts, request.reference);
    const { reference } = request;
    const paid = chargeRows(input.limit, context);
    return withLookup(parts, { reference, context, paid }, () =>
      parts.cache.answer(key, () => makeAnswer(parts, { ...request, market })),
    );
  };
}
