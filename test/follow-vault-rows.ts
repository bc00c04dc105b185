// Rows of Balancer's weighted pools as the index keeps them: announced by a log, read from the
// contracts, then followed by the vault's logs.

import assert from 'node:assert/strict';
import type { PoolDraft } from '../src/amm/pool-kind.ts';
import { weightedKind } from '../src/amm/weighted/weighted-kind.ts';
import { acceptEvents } from '../src/chains/evm/blocks/accept-events.ts';
import { decodeBacked } from '../src/chains/evm/blocks/decode-backed.ts';
import type { EvmDeployment } from '../src/chains/evm/data/deployments/evm-deployment.ts';
import type { DecodedEvent, EvmLog } from '../src/chains/evm/data/evm-log.ts';
import { PoolDirectory } from '../src/chains/evm/pools/pool-directory.ts';
import type { CallContracts } from '../src/chains/evm/rpc/multicall.ts';
import { balancer } from '../src/chains/evm/venues/balancer/balancer.ts';
import { createLogDecoding, type LogDecoding } from '../src/chains/evm/venues/log-decoding.ts';
import type { PoolId } from '../src/model/ids.ts';
import type { PoolDescription } from '../src/model/pool.ts';

const NO_TICKS = { get: () => undefined, change: () => true, order: [] };

interface FollowedRowsOptions {
  readonly deployment: EvmDeployment;
  readonly callContracts: CallContracts;
}

export class FollowedRows {
  readonly rows = new Map<PoolId, PoolDraft<'weighted'>>();
  readonly #options: FollowedRowsOptions;
  readonly #decoding: LogDecoding;
  readonly #directory: PoolDirectory;

  constructor(options: FollowedRowsOptions) {
    this.#options = options;
    const { deployment } = options;
    this.#decoding = createLogDecoding(deployment);
    this.#directory = new PoolDirectory({ deployment, knownPools: async () => [] });
  }

  async accept(logs: readonly EvmLog[]): Promise<DecodedEvent[]> {
    const { decoded } = await decodeBacked(logs, {
      ...{ decoding: this.#decoding, directory: this.#directory, hasAllTransfers: false },
      callContracts: this.#options.callContracts,
    });
    const { blocks } = acceptEvents(decoded, this.#directory, { describesPools: false });
    return blocks.flatMap(({ events }) => events);
  }

  /** Reads the rows that the logs announce, as they are now. */
  async adopt(events: readonly DecodedEvent[]): Promise<void> {
    for (const event of events) {
      if (event.kind === 'poolCreated') await this.#adoptRow(event.description);
    }
  }

  /** Rows that are new are read before the logs are applied. */
  async follow(logs: readonly EvmLog[]): Promise<void> {
    const events = await this.accept(logs);
    await this.adopt(events);
    for (const event of events) this.apply(event);
  }

  apply(event: DecodedEvent): void {
    if (event.kind !== 'swap' && event.kind !== 'poolChanged') return;
    const row = this.rows.get(event.pool) ?? assert.fail(`no row ${event.pool}`);
    const swapped = event.kind === 'swap' ? event : null;
    if (event.change === null) return;
    weightedKind.apply(row, event.change as never, {
      ...{ ticks: NO_TICKS, swapped },
      findRow: (pool) => this.rows.get(pool),
    });
  }

  async #adoptRow(description: PoolDescription): Promise<void> {
    if (this.rows.has(description.pool)) return;
    assert.equal(description.kind, 'weighted');
    const query = { description, covered: null, callCountMax: 1, wordCountMax: 1 };
    const page = (await balancer.readPoolPage(query, this.#options)) ?? assert.fail();
    const queries = [{ description, ticks: [] }];
    const [reading] = await balancer.readPoolStates(queries, this.#options);
    assert.deepEqual(reading?.state, page.state, 'verify reads the same');
    const state = weightedKind.assembleState(page.state as never, []) ?? assert.fail();
    const row = { ...description, state, complete: true } as PoolDraft<'weighted'>;
    this.rows.set(description.pool, row);
  }
}
