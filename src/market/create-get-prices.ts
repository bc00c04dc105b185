// Answers POST /prices.
//
// The text of each token's price is kept until something about the token changes, so that an answer
// is mostly put together from memory.

import { createSerializer } from '../contract/create-serializer.ts';
import type { HandlerContext, ReadyAnswer } from '../contract/handler.ts';
import { COSTS, computeTokensCost, type InputOf } from '../contract/operation.ts';
import type { getPrices } from '../contract/operations/get-prices.ts';
import { buildNotReadyError } from '../contract/parse-reference.ts';
import { priceSchema } from '../contract/schemas/price-schema.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { Address } from '../model/ids.ts';
import type { Checkpoint } from '../model/market-record.ts';
import { ALWAYS, type CommitCache } from './commit-cache.ts';
import type { TokenDirectory } from './lists/token-lists.ts';
import type { MarketChain, MarketParts } from './market-parts.ts';
import { checkLimit, createPrepare, parseToken, type TokenReference } from './parse-token.ts';
import { readAt, serializeAsOf } from './read-at.ts';
import { type PriceMoment, readPricesAt, readPricesNow } from './read-prices.ts';

interface PriceParts extends MarketParts {
  /** The prices of now. */
  readonly prices: CommitCache;
}

type PricesInput = InputOf<typeof getPrices>;

interface PriceReference extends TokenReference {
  /** In the cache. */
  readonly key: string;
}

/** A cached price, as text. */
interface CachedPrice {
  readonly text: string;
  readonly checkpoint: Checkpoint;
  /** The token lists that it reflects. */
  readonly directory: TokenDirectory;
}

interface PricesRequest {
  readonly references: readonly PriceReference[];
  readonly chains: readonly ChainSlug[];
  readonly moment: PriceMoment | null;
  /** The last answer from memory. */
  sent: SentPrices | null;
}

type AsOf = readonly (readonly [ChainSlug, Checkpoint])[];

interface SentPrices {
  readonly texts: readonly string[];
  readonly asOf: AsOf;
  readonly answer: ReadyAnswer;
}

/** The prices of a chain's tokens, all as of one commit. */
interface ChainPrices {
  readonly at: Checkpoint;
  readonly texts: ReadonlyMap<Address, string>;
}

const serializePrice = createSerializer(priceSchema);
/** Of a token that is not known or paused, or whose chain is not ready. */
const NO_PRICE = 'null';

function toPriceKey(chain: ChainSlug, token: Address): string {
  return `${chain} ${token}`;
}

function parseRequest(parts: PriceParts, input: PricesInput): PricesRequest {
  const references = input.tokens.map((one, index) => {
    const reference = parseToken(parts, one, `tokens.${index}.`);
    return { ...reference, key: toPriceKey(reference.chain, reference.token) };
  });
  const chains = [...new Set(references.map(({ chain }) => chain))];
  const moment = input.at === undefined ? null : ({ kind: 'time', timeMs: input.at } as const);
  return { references, chains, moment, sent: null };
}

/** The last commit that this process knows; null while the chain is not ready. */
function findState(parts: PriceParts, chain: ChainSlug): Checkpoint | null {
  return parts.chains.find(chain) === null ? null : parts.states.current(chain);
}

/** The kept price as of the last commit that this process knows; null if there is none. */
function findKept(parts: PriceParts, { chain, token, key }: PriceReference): string | null {
  const at = findState(parts, chain);
  if (parts.pauses.isPaused(chain, token) || at === null) return NO_PRICE;
  const kept = parts.prices.find<CachedPrice>(key);
  if (kept === null || kept.directory !== parts.lists.directory) return null;
  return kept.checkpoint.version > at.version ? null : kept.text;
}

/** Every price if all are kept; null if one is not. */
function findAllKept(parts: PriceParts, references: readonly PriceReference[]): string[] | null {
  const texts: string[] = [];
  for (const reference of references) {
    const text = findKept(parts, reference);
    if (text === null) return null;
    texts.push(text);
  }
  return texts;
}

/** Reads prices, and keeps those of now; tokens that are not known are among them. */
async function readTexts(
  parts: PriceParts,
  market: MarketChain,
  of: { readonly tokens: readonly Address[]; readonly moment: PriceMoment | null },
): Promise<ChainPrices> {
  const { tokens, moment } = of;
  const { directory } = parts.lists;
  const { slug: chain } = market;
  const commits = parts.states.commits(chain);
  const { value, checkpoint } = await readAt(parts, chain, async (reader, at) => {
    if (at === null) return null;
    const request = { tokens, checkpoint: at, directory, stats: parts.stats };
    return moment === null
      ? readPricesNow(reader, market, request)
      : readPricesAt(reader, market, { ...request, moment });
  });
  if (value === null || checkpoint === null) throw buildNotReadyError(chain);
  const texts = new Map<Address, string>();
  for (const token of tokens) {
    const found = value.get(token);
    const text = found === undefined ? NO_PRICE : serializePrice(found.entry);
    texts.set(token, text);
    if (moment !== null) continue;
    const validity = { ...ALWAYS, ...found?.span };
    const price: CachedPrice = { text, checkpoint, directory };
    parts.prices.keep(toPriceKey(chain, token), { commits, token }, { value: price, validity });
  }
  return { at: checkpoint, texts };
}

async function readChain(
  parts: PriceParts,
  chain: ChainSlug,
  { references, moment }: PricesRequest,
): Promise<ChainPrices> {
  const market = parts.chains.find(chain);
  const at = parts.states.current(chain);
  if (market === null || at === null) throw buildNotReadyError(chain);
  const ofChain = references.filter((reference) => reference.chain === chain);
  const kept = new Map<Address, string>();
  for (const reference of moment === null ? ofChain : []) {
    const text = findKept(parts, reference);
    if (text !== null) kept.set(reference.token, text);
  }
  const tokens = new Set(ofChain.map(({ token }) => token));
  const missing = [...tokens].filter((token) => !kept.has(token));
  if (missing.length === 0) return { at, texts: kept };
  const read = await readTexts(parts, market, { tokens: missing, moment });
  if (kept.size === 0) return read;
  const isSame = read.at.version === at.version;
  if (isSame) return { at: read.at, texts: new Map([...kept, ...read.texts]) };
  // The store is ahead of what this process has heard: what was kept may have changed.
  return readTexts(parts, market, { tokens: [...tokens], moment });
}

function buildAnswer(texts: readonly string[], asOf: AsOf): ReadyAnswer {
  const states = asOf.map(([chain, at]) => `"${chain}":${serializeAsOf(at)}`);
  const bytes = Buffer.from(`{"prices":[${texts.join(',')}],"asOf":{${states.join(',')}}}`);
  return { kind: 'ready', bytes, etag: null };
}

async function readAnswer(
  parts: PriceParts,
  request: PricesRequest,
  chains: readonly ChainSlug[],
): Promise<ReadyAnswer> {
  const read = new Map<ChainSlug, ChainPrices>();
  for (const chain of chains) read.set(chain, await readChain(parts, chain, request));
  const texts = request.references.map(({ chain, token }) => {
    if (parts.pauses.isPaused(chain, token)) return NO_PRICE;
    return read.get(chain)?.texts.get(token) ?? NO_PRICE;
  });
  return buildAnswer(
    texts,
    Array.from(read, ([chain, { at }]) => [chain, at] as const),
  );
}

function isSameAnswer(sent: SentPrices, texts: readonly string[], asOf: AsOf): boolean {
  if (sent.asOf.length !== asOf.length) return false;
  const isOfSameCommits = sent.asOf.every(([, at], index) => at === asOf[index]?.[1]);
  return isOfSameCommits && sent.texts.every((text, index) => text === texts[index]);
}

/** The last answer, if it is still right. */
function sendKept(request: PricesRequest, texts: readonly string[], asOf: AsOf): ReadyAnswer {
  const { sent } = request;
  if (sent !== null && isSameAnswer(sent, texts, asOf)) return sent.answer;
  const answer = buildAnswer(texts, asOf);
  request.sent = { texts, asOf, answer };
  return answer;
}

export function createGetPrices(parts: PriceParts) {
  const prepare = createPrepare((input: PricesInput) => parseRequest(parts, input));
  return (input: PricesInput, context: HandlerContext): ReadyAnswer | Promise<ReadyAnswer> => {
    checkLimit(parts, { limit: input.tokens.length, of: 'prices' }, context);
    const request = prepare(input);
    const asOf = request.chains.flatMap((chain) => {
      const at = findState(parts, chain);
      return at === null ? [] : [[chain, at] as const];
    });
    const [first] = request.chains;
    if (asOf.length === 0 && first !== undefined) throw buildNotReadyError(first);
    const cost = computeTokensCost(request.references.length);
    if (cost > 0) context.chargeAhead?.({ cost, paid: COSTS.read });
    const kept = request.moment === null ? findAllKept(parts, request.references) : null;
    if (kept !== null) return sendKept(request, kept, asOf);
    const ready = asOf.map(([chain]) => chain);
    return readAnswer(parts, request, ready);
  };
}
