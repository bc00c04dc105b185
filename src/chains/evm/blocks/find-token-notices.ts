// Searches a range's logs for events that may have changed a token: events of its contract, and
// taxes in real swaps. It only uses logs that were read anyway and makes no request.

import { keccak256, stringToBytes } from 'viem/utils';
import { kindOf } from '../../../amm/pool-kinds.ts';
import type { Address, PoolId, TransactionId } from '../../../model/ids.ts';
import type { PoolDescription } from '../../../model/pool.ts';
import type { TokenEventNotice, TokenNotice, TokenTaxNotice } from '../../../model/token-notice.ts';
import { toPoolContract } from '../data/evm-ids.ts';
import type { DecodedSwap, EvmLog } from '../data/evm-log.ts';
import { hasWords, toTopicAddress, uintAt } from '../data/hex-data.ts';
import { TRANSFER_TOPIC } from '../tokens/decode-transfer.ts';
import { SWAP_PART_TOPICS } from '../venues/registry.ts';
import type { AcceptedBlock } from './accept-events.ts';

const APPROVAL_TOPIC = '0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925';

/** Events about ownership, code, roles and pauses. */
export const ADMIN_TOPICS: ReadonlySet<string> = new Set(
  [
    'OwnershipTransferred(address,address)',
    'OwnershipTransferStarted(address,address)',
    'Upgraded(address)',
    'BeaconUpgraded(address)',
    'AdminChanged(address,address)',
    'RoleGranted(bytes32,address,address)',
    'RoleRevoked(bytes32,address,address)',
    'RoleAdminChanged(bytes32,bytes32,bytes32)',
    'Paused(address)',
    'Unpaused(address)',
    'Paused()',
    'Unpaused()',
    'Pause()',
    'Unpause()',
  ].map((signature) => keccak256(stringToBytes(signature))),
);

/** Further topics of one contract add no information. */
const TOPICS_MAX = 8;
const BPS = 10_000n;
/** Below this amount, rounding looks like a tax. */
const UNITS_MIN = 1000n;

interface Transfer {
  readonly token: Address;
  readonly from: Address;
  readonly to: Address;
  readonly amount: bigint;
  /** Its index among the logs of its transaction. */
  readonly place: number;
}

interface SwapHere {
  readonly event: DecodedSwap;
  readonly description: PoolDescription;
}

interface LogsToSearch {
  readonly logs: readonly EvmLog[];
  readonly accepted: readonly AcceptedBlock[];
  readonly findPool: (pool: PoolId) => PoolDescription | undefined;
  /** First topics of the venues' events, which concern pools. */
  readonly venueTopics: ReadonlySet<string>;
  /** Whether the logs are all logs of the blocks. */
  readonly allLogs: boolean;
}

function decodeTransfer(log: EvmLog, place: number): Transfer | null {
  const { topics, data } = log;
  if (topics[0] !== TRANSFER_TOPIC || topics.length !== 3 || !hasWords(data, 1)) return null;
  const from = toTopicAddress(topics[1]);
  const to = toTopicAddress(topics[2]);
  if (from === null || to === null) return null;
  return { token: log.address, from, to, amount: uintAt(data, 0), place };
}

/** Rounded, like measurements. */
function computeBps(whole: bigint, kept: bigint): number {
  return whole === 0n ? 0 : Number((kept * BPS * 2n + whole) / (2n * whole));
}

function sum(transfers: readonly Transfer[]): bigint {
  return transfers.reduce((total, { amount }) => total + amount, 0n);
}

interface TransactionSwaps {
  /** By log index, without those of V4. */
  readonly swaps: Map<number, SwapHere>;
  /** Of all swaps, including those of V4. */
  readonly vaults: Set<Address>;
}

/** A pool that is a contract of its own, and so its own vault. */
type OwnPool = Pick<PoolDescription, 'pool' | 'vault'>;

/**
 * A pair's `Sync` comes right before its swap. A `Sync` alone is a call of `sync()`, by which a
 * pair takes what was given to it: that is no swap and no tax.
 */
function isPartOfNext(log: EvmLog, next: EvmLog | undefined): boolean {
  return SWAP_PART_TOPICS.has(log.topics[0] ?? '') && next?.address === log.address;
}

/** The logs of one transaction, and the transfers since each pool's last event. */
class TransactionSearch {
  readonly #swaps: ReadonlyMap<number, SwapHere>;
  readonly #pools: ReadonlySet<Address>;
  /** The vaults of the pools in which the transaction swapped. */
  readonly #vaults: ReadonlySet<Address>;
  readonly #transfers: Transfer[] = [];
  readonly #byPlace = new Map<number, Transfer>();
  /** The index of each pool's last event: transfers before it belong to that event. */
  readonly #since = new Map<Address, number>();
  readonly found: TokenTaxNotice[] = [];

  constructor({ swaps, vaults }: TransactionSwaps) {
    this.#swaps = swaps;
    this.#vaults = vaults;
    this.#pools = new Set([...swaps.values()].map(({ description }) => description.vault));
  }

  read(logs: readonly EvmLog[]): void {
    for (const [place, log] of logs.entries()) {
      const transfer = decodeTransfer(log, place);
      if (transfer === null) continue;
      this.#transfers.push(transfer);
      this.#byPlace.set(place, transfer);
    }
    for (const [place, log] of logs.entries()) {
      const swap = this.#swaps.get(log.logIndex);
      if (swap !== undefined) this.#examine(swap, place);
      if (this.#pools.has(log.address) && !isPartOfNext(log, logs[place + 1])) {
        this.#since.set(log.address, place);
      }
    }
  }

  #examine({ event, description }: SwapHere, place: number): void {
    const { pool, vault, token0, token1 } = description;
    const since = this.#since.get(vault) ?? -1;
    const moved = this.#transfers.filter((one) => one.place > since && one.place < place);
    for (const [token, amount] of [
      [token0, event.amount0],
      [token1, event.amount1],
    ] as const) {
      const ofToken = moved.filter((one) => one.token === token);
      if (amount < 0n) this.#examineOut({ pool, vault, token, paid: -amount }, ofToken);
      else if (kindOf(description).countsArrivals) {
        this.#examineIn({ pool, vault, token, arrived: amount }, ofToken);
      }
    }
  }

  /** A pool pays in one transfer; if the token splits or shortens it, the difference is its tax. */
  #examineOut(
    swap: OwnPool & { readonly token: Address; readonly paid: bigint },
    moved: readonly Transfer[],
  ): void {
    const { pool, vault, token, paid } = swap;
    const sent = moved.filter(({ from }) => from === vault);
    if (paid < UNITS_MIN || sent.length === 0) return;
    if (sent.some(({ amount }) => amount === paid)) return;
    const isSplit = sent.length > 1 && sum(sent) === paid;
    const [largest = 0n] = sent.map(({ amount }) => amount).sort((a, b) => (a > b ? -1 : 1));
    if (!isSplit && (sent.length > 1 || largest > paid)) return;
    this.#add({ token, pool, side: 'out', bps: computeBps(paid, paid - largest), payee: null });
  }

  /** Only pairs that count what arrived accept less than was sent. */
  #examineIn(
    swap: OwnPool & { readonly token: Address; readonly arrived: bigint },
    moved: readonly Transfer[],
  ): void {
    const { pool, vault, token, arrived } = swap;
    if (arrived < UNITS_MIN) return;
    const into = moved.filter(({ to, from }) => to === vault && from !== vault);
    // Somebody may take back what was sent before (`skim`, or a loan that is returned).
    const back = moved.filter(({ to, from }) => from === vault && to !== vault);
    const total = sum(into) - sum(back);
    if (total > arrived) {
      const bps = computeBps(total, total - arrived);
      this.#add({ token, pool, side: 'in', bps, payee: null });
    }
    for (const one of into) {
      // What a pool pays and splits is reported as its own tax, above.
      const beside = this.#vaults.has(one.from) ? undefined : this.#findBeside(one);
      if (beside === undefined) continue;
      const bps = computeBps(one.amount + beside.amount, beside.amount);
      this.#add({ token, pool, side: 'in', bps, payee: beside.to });
    }
  }

  /**
   * Another transfer of the token by the same payer, right before or after, not to another pool.
   */
  #findBeside({ place, token, from }: Transfer): Transfer | undefined {
    return [place - 1, place + 1]
      .flatMap((at) => this.#byPlace.get(at) ?? [])
      .find((one) => one.token === token && one.from === from && !this.#vaults.has(one.to));
  }

  #add(notice: Omit<TokenTaxNotice, 'kind'>): void {
    if (notice.bps >= 1) this.found.push({ kind: 'tax', ...notice });
  }
}

function findTaxes({ logs, accepted, findPool }: LogsToSearch): TokenTaxNotice[] {
  const byTransaction = new Map<TransactionId, TransactionSwaps>();
  for (const { events } of accepted) {
    for (const event of events) {
      if (event.kind !== 'swap') continue;
      const description = findPool(event.pool);
      if (description === undefined) continue;
      const known = byTransaction.get(event.txHash) ?? { swaps: new Map(), vaults: new Set() };
      byTransaction.set(event.txHash, known);
      known.vaults.add(description.vault);
      // V4 settles many swaps in one transfer, which says nothing about a single swap.
      if (description.vault === toPoolContract(description.pool)) {
        known.swaps.set(event.logIndex, { event, description });
      }
    }
  }
  if (byTransaction.size === 0) return [];
  const found: TokenTaxNotice[] = [];
  for (let start = 0; start < logs.length; ) {
    const txHash = logs[start]?.txHash;
    let end = start + 1;
    while (end < logs.length && logs[end]?.txHash === txHash) end += 1;
    const ofTransaction = txHash === undefined ? undefined : byTransaction.get(txHash);
    if (ofTransaction !== undefined && ofTransaction.swaps.size > 0) {
      const search = new TransactionSearch(ofTransaction);
      search.read(logs.slice(start, end));
      found.push(...search.found);
    }
    start = end;
  }
  return found;
}

function findEvents({ logs, venueTopics }: LogsToSearch): TokenEventNotice[] {
  const topics = new Map<Address, Set<string>>();
  for (const log of logs) {
    const topic = log.topics[0] ?? '';
    if (topic === TRANSFER_TOPIC || topic === APPROVAL_TOPIC || venueTopics.has(topic)) continue;
    const known = topics.get(log.address);
    if (known === undefined) topics.set(log.address, new Set([topic]));
    else if (known.size < TOPICS_MAX || ADMIN_TOPICS.has(topic)) known.add(topic);
  }
  return Array.from(topics, ([token, its]) => ({
    kind: 'event',
    token,
    topics: [...its],
    isAdmin: [...its].some((topic) => ADMIN_TOPICS.has(topic)),
  }));
}

/** With only some of the logs, only taxes can be found. */
export function findTokenNotices(search: LogsToSearch): TokenNotice[] {
  const taxes = findTaxes(search);
  return search.allLogs ? [...findEvents(search), ...taxes] : taxes;
}
