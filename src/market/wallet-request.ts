// What the reads of a wallet share: the request, pages by token, coverage and the answer.

import type { OpenText } from '../contract/create-open-serializer.ts';
import type { OutputOf } from '../contract/operation.ts';
import type { getWalletPositions } from '../contract/operations/get-wallet-positions.ts';
import {
  buildNotReadyError,
  parseAddress,
  parseFollowedChain,
} from '../contract/parse-reference.ts';
import type { ReadyAnswer } from '../contract/ready-answer.ts';
import type { AddressCodec } from '../model/address-codec.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { Address } from '../model/ids.ts';
import type { Checkpoint } from '../model/market-record.ts';
import { computeEtag } from './answer-cache.ts';
import { serializeAsOf } from './as-of.ts';
import type { CommitCache } from './commit-cache.ts';
import { readChainStart } from './coverage.ts';
import { buildInvalidCursorError, encodeCursor, parseCursor } from './cursor.ts';
import type { MarketChain, MarketParts } from './market-parts.ts';
import type { NodeGate } from './node-gate.ts';
import type { AnswerReader } from './read-at.ts';

export interface WalletParts extends MarketParts {
  readonly walletCache: CommitCache;
  readonly walletCalls: NodeGate;
}

type WalletCoverage = OutputOf<typeof getWalletPositions>['coverage'];

export interface WalletReference {
  readonly chain: ChainSlug;
  readonly wallet: Address;
  readonly addresses: AddressCodec;
}

export function parseWallet(
  parts: Pick<MarketParts, 'chains'>,
  input: { readonly chain: string; readonly wallet: string },
): WalletReference {
  const chain = parseFollowedChain(parts.chains, input.chain);
  const addresses = parts.chains.findAddresses(chain);
  const wallet = parseAddress(addresses, { chain, text: input.wallet, field: 'wallet' });
  return { chain, wallet, addresses };
}

/** The cursor of a page that ended at this token. */
export function encodeTokenCursor(
  addresses: AddressCodec,
  mark: string,
  end: Address | null,
): string | null {
  return end === null ? null : encodeCursor(mark, addresses.toShown(end));
}

/** The token at which a page ended. */
export function parseTokenCursor(addresses: AddressCodec, mark: string, cursor: string): Address {
  const token = addresses.parse(parseCursor(mark, cursor));
  if (token === null) throw buildInvalidCursorError();
  return token;
}

/** Call it after all input checks. */
export function requireChain(parts: MarketParts, chain: ChainSlug): MarketChain {
  const market = parts.chains.find(chain);
  if (market === null || parts.states.current(chain) === null) throw buildNotReadyError(chain);
  return market;
}

export async function readWalletCoverage(
  reader: AnswerReader,
  chain: ChainSlug,
  at: Checkpoint,
): Promise<Omit<WalletCoverage, 'node'>> {
  const { fromMs } = await readChainStart(reader, chain, at);
  const tradesFrom = Math.max(fromMs ?? 0, at.tradesFromMs ?? 0);
  return {
    scope: at.scope ?? 'all',
    tradesFrom: tradesFrom === 0 ? null : tradesFrom,
    // With a scope each token counts from its own time on.
    positionsFrom: at.scope === undefined ? (at.positionsFromMs ?? fromMs) : null,
    tokensComplete: at.scope === undefined && at.startBlock <= 1,
  };
}

/** An answer that is not kept beyond the next commit. */
export function toWalletAnswer(text: OpenText, at: Checkpoint): ReadyAnswer {
  const bytes = Buffer.from(`${text},"asOf":${serializeAsOf(at)}}`);
  return { kind: 'ready', bytes, etag: computeEtag(text) };
}
