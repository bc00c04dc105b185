// The supervisor's ledger of what its workers spend: budgets and streams over all of them.

import { MemoryLedger } from '../access/limits/memory-ledger.ts';
import type { Clock } from '../lib/clock.ts';
import type { PrimaryMessage, WorkerMessage } from './worker-message.ts';

/** A worker, as the supervisor reaches it. */
export interface WorkerPort {
  send(message: PrimaryMessage): void;
}

export class WorkerHub {
  readonly #ledger: MemoryLedger<WorkerPort>;

  /** `identitiesMax`: of each policy. */
  constructor(options: { readonly identitiesMax: number; readonly clock: Clock }) {
    this.#ledger = new MemoryLedger(options);
  }

  leave(port: WorkerPort): void {
    this.#ledger.leave(port);
  }

  onMessage(port: WorkerPort, message: WorkerMessage): void {
    if (message.type === 'streams') this.#ledger.putStreams(port, message.counts);
    if (message.type !== 'ask') return;
    const { of, ask } = message.question;
    const answer = of === 'budgets' ? this.#ledger.settle(ask) : this.#ledger.takeStream(port, ask);
    port.send({ type: 'answer', id: message.id, answer });
  }
}
