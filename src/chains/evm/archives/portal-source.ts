// Whole blocks of an EVM chain from SQD Portal. It lacks some columns for the older part of some
// chains, and refuses a request that names one: it is asked again without.

import type { Clock } from '../../../lib/clock.ts';
import { ArchiveError } from '../../archives/archive-error.ts';
import type { ArchiveRange } from '../../archives/archive-sources.ts';
import { PortalClient } from '../../archives/portal-client.ts';
import type { EvmArchive, FilteredQuery } from './archive-reader.ts';
import { type ArchivedBlock, HEADER_FIELDS, type HeaderField } from './archived-block.ts';
import { type FilteredBlock, parseFilteredBlock, parsePortalBlock } from './parse-portal-block.ts';

/** How long a column counts as absent: later blocks may have it. */
const ABSENT_MS = 300_000;
/** The Portal answers with less at once anyway. */
const RANGE_MAX = 100_000;
/** It has no columns for these fields. */
const UNKNOWN_FIELDS: ReadonlySet<HeaderField> = new Set(['blockAccessListHash', 'slotNumber']);
const SILENCE_MS = 30_000;

const select = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, true]));

const TRANSACTION_FIELDS = select([
  ...['transactionIndex', 'hash', 'from', 'nonce', 'type', 'status', 'cumulativeGasUsed'],
]);
const LOG_COLUMNS = ['logIndex', 'address', 'topics', 'data'];
const LOG_FIELDS = select([...LOG_COLUMNS, 'transactionIndex']);

/** `base_fee_per_gas` is the column of `baseFeePerGas`. */
function toField(column: string): HeaderField | null {
  const name = column.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  return HEADER_FIELDS.find((field) => field === name) ?? null;
}

export class PortalSource implements EvmArchive {
  readonly #client: PortalClient;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #absentUntilMs = new Map<HeaderField, number>();

  constructor(url: string, clock: Pick<Clock, 'monotonicMs'>) {
    this.#client = new PortalClient({ url, silenceMs: SILENCE_MS });
    this.#clock = clock;
  }

  get name(): string {
    return this.#client.name;
  }

  close(): void {
    this.#client.close();
  }

  async *read(range: ArchiveRange, signal: AbortSignal): AsyncGenerator<ArchivedBlock, void> {
    for (;;) {
      const absent = this.#listAbsent();
      let count = 0;
      try {
        for await (const line of this.#client.readFinal(buildQuery(range, absent), signal)) {
          yield parsePortalBlock(line, absent);
          count += 1;
        }
        return;
      } catch (error) {
        const { column = null } = error instanceof ArchiveError ? error : {};
        const field = column === null ? null : toField(column);
        if (field === null || absent.has(field) || count > 0) throw error;
        this.#absentUntilMs.set(field, this.#clock.monotonicMs() + ABSENT_MS);
      }
    }
  }

  async *readLogs(
    { fromBlock, toBlock, filters, isWhole }: FilteredQuery,
    signal: AbortSignal,
  ): AsyncGenerator<FilteredBlock, void> {
    const query = {
      ...{ type: 'evm', fromBlock, toBlock },
      fields: {
        block: select(['number', 'hash', 'timestamp']),
        log: select([...LOG_COLUMNS, isWhole ? 'transactionIndex' : 'transactionHash']),
        ...(isWhole ? { transaction: select(['transactionIndex', 'hash', 'from']) } : {}),
      },
      logs: filters.map(({ address, topics }) => ({
        address,
        ...Object.fromEntries(topics.flatMap((any, at) => (any ? [[`topic${at}`, any]] : []))),
        ...(isWhole ? { transaction: true, transactionLogs: true } : {}),
      })),
    };
    for await (const line of this.#client.readFinal(query, signal)) {
      yield parseFilteredBlock(line, isWhole);
    }
  }

  #listAbsent(): ReadonlySet<HeaderField> {
    const nowMs = this.#clock.monotonicMs();
    return new Set(
      [...this.#absentUntilMs].flatMap(([field, untilMs]) => (untilMs > nowMs ? [field] : [])),
    );
  }
}

function buildQuery({ fromBlock, toBlock }: ArchiveRange, absent: ReadonlySet<HeaderField>) {
  const fields = HEADER_FIELDS.filter((field) => !UNKNOWN_FIELDS.has(field) && !absent.has(field));
  return {
    type: 'evm',
    fromBlock,
    toBlock: Math.min(toBlock, fromBlock + RANGE_MAX - 1),
    includeAllBlocks: true,
    fields: {
      block: select(['hash', ...fields]),
      transaction: TRANSACTION_FIELDS,
      log: LOG_FIELDS,
    },
    transactions: [{}],
    logs: [{}],
  };
}
