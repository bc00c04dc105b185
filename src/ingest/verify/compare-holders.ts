// Compares all stored balances of tokens with the holders that the chain lists: in bounded calls,
// so that of very many tokens some are compared, and other ones at the next block.

import { createHash } from 'node:crypto';
import type { ChainAdapter } from '../../chains/adapter.ts';
import { HistoryUnavailableError } from '../../chains/chain-history.ts';
import type { BlockHeader } from '../../model/block-header.ts';
import type { Address } from '../../model/ids.ts';
import type { BalanceRecord } from '../../model/market-record.ts';
import type { BalancePosition, MarketReads } from '../../store/market-reads.ts';
import type { ReadSizes } from '../read/read-ahead.ts';
import { ListedHolders } from './listed-holders.ts';
import type { VerifyReport } from './verify-report.ts';

export interface HolderComparison {
  readonly stored: Pick<MarketReads, 'readBalancePage'>;
  readonly adapter: ChainAdapter;
  readonly sizes: ReadSizes;
  readonly header: BlockHeader;
  readonly report: VerifyReport;
  readonly signal: AbortSignal;
}

interface Difference {
  readonly owner: Address;
  readonly storedRaw: bigint;
  readonly expectedRaw: bigint;
}

type AmountsByOwner = ReadonlyMap<Address, bigint>;

/** As `HoldersReading` counts them; a list takes five or more. */
const CALLS_MAX = 2000;
/** A node may name a slot that its list is not of (decision 0058): what differs is listed again. */
const LISTS_MAX = 3;
/** Lists take a while, in which the chain moves on. */
const BLOCKS_MAX = 2000;
const PAGE_SIZE = 5000;

/** In another order at each block, so that a token is not left out forever. */
function shuffle(tokens: Iterable<Address>, { hash }: BlockHeader): Address[] {
  const rank = (token: Address) => createHash('sha256').update(`${hash} ${token}`).digest('hex');
  const ranked = Array.from(tokens, (token) => [rank(token), token] as const);
  return ranked.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, token]) => token);
}

async function readStored(
  { stored, adapter }: HolderComparison,
  token: Address,
): Promise<AmountsByOwner> {
  const balances = new Map<Address, bigint>();
  let after: BalancePosition | null = null;
  for (;;) {
    const page: BalanceRecord[] = await stored.readBalancePage(adapter.chain, token, {
      ...{ after, limit: PAGE_SIZE },
    });
    for (const { owner, amountRaw } of page) if (amountRaw > 0n) balances.set(owner, amountRaw);
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE_SIZE) return balances;
    after = last;
  }
}

function findDifferences(stored: AmountsByOwner, expected: AmountsByOwner): Difference[] {
  const owners = new Set([...stored.keys(), ...expected.keys()]);
  return Array.from(owners, (owner) => ({
    owner,
    storedRaw: stored.get(owner) ?? 0n,
    expectedRaw: expected.get(owner) ?? 0n,
  })).filter(({ storedRaw, expectedRaw }) => storedRaw !== expectedRaw);
}

async function readListed(listed: ListedHolders, token: Address): Promise<AmountsByOwner | null> {
  try {
    return await listed.read(token);
  } catch (error) {
    if (error instanceof HistoryUnavailableError) return null;
    throw error;
  }
}

/** False if the chain does not list the holders. */
async function compareToken(
  comparison: HolderComparison,
  listed: ListedHolders,
  token: Address,
): Promise<boolean> {
  const { report } = comparison;
  const stored = await readStored(comparison, token);
  let differences: Difference[] = [];
  for (let count = 0; count < LISTS_MAX; count += 1) {
    const expected = await readListed(listed, token);
    if (expected === null) return false;
    differences = findDifferences(stored, expected);
    if (differences.length === 0) break;
  }
  report.count('balance of contract', stored.size);
  for (const { owner, storedRaw, expectedRaw } of differences) {
    report.compare(`holder of ${token} ${owner}`, {
      ...{ stored: { amountRaw: storedRaw }, expected: { amountRaw: expectedRaw } },
    });
  }
  return true;
}

/** Returns the tokens that were compared: not those that no node lists, or beyond the calls. */
export async function compareHolders(
  comparison: HolderComparison,
  tokens: ReadonlySet<Address>,
): Promise<ReadonlySet<Address>> {
  const listed = new ListedHolders({ ...comparison, tokens, blocksMax: BLOCKS_MAX });
  const compared = new Set<Address>();
  for (const token of shuffle(tokens, comparison.header)) {
    if (listed.callCount >= CALLS_MAX) break;
    if (await compareToken(comparison, listed, token)) compared.add(token);
  }
  comparison.report.count('token with holders listed', compared.size);
  return compared;
}
