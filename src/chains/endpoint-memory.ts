// The health of a chain's endpoints, in memory shared by the threads of this process: what one
// thread learns about an endpoint counts for all, and they share one limit of requests.
//
// An endpoint has one cell per field. Each is read and written atomically; fields that are written
// together may be seen half-written, which costs a request at worst. Two more cells, the last, are
// the chain's: until when its daily budget is spent, and what other processes do not know of that.

const FIELDS = [
  /** In microseconds of the process's monotonic clock. */
  'availableAt',
  'failuresInARow',
  /** In microseconds; 0 if it has to be checked. */
  'chainCheckedAt',
  /** In microseconds: until when it is not used because it served another chain. */
  'refusedUntil',
  /** How often in a row it did. */
  'refusals',
  /** One more than the position; 0 if unknown. */
  'headPlusOne',
  'requests',
  'failures',
  'rateLimited',
  /** In microseconds, of the last requests; 0 before the first answer. */
  'latency',
  /** 0 if no batch was rejected lately. */
  'batchCallsMax',
  /** In microseconds: when twice as many calls are tried again, and how long after each trial. */
  'batchGrowsAt',
  'batchGrowsEach',
  /** In thousandths of a credit a second; 0 if the endpoint has not limited the rate. */
  'rate',
  /** The rate that it last refused; 0 if there was none then. */
  'rateCeiling',
  /** In microseconds: when the rate was last changed, and last lowered. */
  'rateAt',
  'rateLoweredAt',
  /** In microseconds: until when the rate is spent, and until when nothing is sent at all. */
  'spentUntil',
  'pausedUntil',
  /** How often in a row the rate was refused, with nothing answered in between. */
  'pauses',
  /** Credits answered in the second that began then (in microseconds), and in the one before. */
  'secondAt',
  'answeredNow',
  'answeredBefore',
  /** Requests in flight: 16 bits for each thread. */
  'underWay',
] as const;

type Field = Exclude<(typeof FIELDS)[number], 'underWay'>;

/** The threads that use nodes. Each has its own count, which is cleared when the thread ends. */
const THREADS = ['main', 'indexer'] as const;
const BITS_PER_THREAD = 16n;
const COUNT_MASK = (1n << BITS_PER_THREAD) - 1n;

/** The maximum of concurrent requests to one endpoint; more wait. */
export const REQUESTS_MAX = 16;
/** How many of them are reserved for the other thread, so that neither can block the other. */
const KEPT_FOR_OTHER = 4;

/** Of the chain, after those of its endpoints. */
const CHAIN_CELLS = 2;

const CELL_BYTES = BigInt64Array.BYTES_PER_ELEMENT;

export interface SharedEndpoints {
  /** Made by `createEndpointMemory`, for as many endpoints. */
  readonly memory: SharedArrayBuffer;
  readonly thread: (typeof THREADS)[number];
}

export function createEndpointMemory(endpointCount: number): SharedArrayBuffer {
  return new SharedArrayBuffer((endpointCount * FIELDS.length + CHAIN_CELLS) * CELL_BYTES);
}

function computeShift(thread: SharedEndpoints['thread']): bigint {
  return BigInt(THREADS.indexOf(thread)) * BITS_PER_THREAD;
}

/** Must be called when a thread has ended: clears its count of requests in flight. */
export function endThread({ memory, thread }: SharedEndpoints): void {
  const cells = new BigInt64Array(memory);
  for (let at = FIELDS.indexOf('underWay'); at < cells.length - CHAIN_CELLS; at += FIELDS.length) {
    Atomics.and(cells, at, ~(COUNT_MASK << computeShift(thread)));
    Atomics.notify(cells, at);
  }
}

/** One endpoint's cells, as one thread uses them. */
export class EndpointCells {
  readonly #cells: BigInt64Array;
  readonly #shift: bigint;
  readonly #ownMax: number;

  /** Without `shared`, memory of its own. */
  constructor(index: number, shared: SharedEndpoints | null) {
    const memory = shared?.memory ?? createEndpointMemory(index + 1);
    this.#cells = new BigInt64Array(memory, index * FIELDS.length * CELL_BYTES, FIELDS.length);
    this.#shift = computeShift(shared?.thread ?? 'main');
    this.#ownMax = shared === null ? REQUESTS_MAX : REQUESTS_MAX - KEPT_FOR_OTHER;
  }

  get(field: Field): number {
    return Number(Atomics.load(this.#cells, FIELDS.indexOf(field)));
  }

  set(field: Field, value: number): void {
    Atomics.store(this.#cells, FIELDS.indexOf(field), BigInt(value));
  }

  increase(field: Field, by = 1): void {
    Atomics.add(this.#cells, FIELDS.indexOf(field), BigInt(by));
  }

  /** Adds a duration to a time, counted from `nowUs` if that has passed. */
  spend(field: Field, durationUs: number, nowUs: number): void {
    const at = FIELDS.indexOf(field);
    for (;;) {
      const before = Atomics.load(this.#cells, at);
      const after = BigInt(Math.ceil(Math.max(Number(before), nowUs) + durationUs));
      if (Atomics.compareExchange(this.#cells, at, before, after) === before) return;
    }
  }

  /** Never lowers the value, even if other threads write, too. */
  raise(field: Field, to: number): void {
    const at = FIELDS.indexOf(field);
    for (;;) {
      const value = Atomics.load(this.#cells, at);
      if (value >= BigInt(to)) return;
      if (Atomics.compareExchange(this.#cells, at, value, BigInt(to)) === value) return;
    }
  }

  /** Counts a request as in flight; false if the limit, less those kept, is reached. */
  tryBegin(kept = 0): boolean {
    const at = FIELDS.indexOf('underWay');
    for (;;) {
      const word = Atomics.load(this.#cells, at);
      const own = Number((word >> this.#shift) & COUNT_MASK);
      const total = THREADS.reduce((sum, thread) => {
        return sum + Number((word >> computeShift(thread)) & COUNT_MASK);
      }, 0);
      if (total >= REQUESTS_MAX - kept || own >= this.#ownMax - kept) return false;
      const next = word + (1n << this.#shift);
      if (Atomics.compareExchange(this.#cells, at, word, next) === word) return true;
    }
  }

  end(): void {
    const at = FIELDS.indexOf('underWay');
    Atomics.sub(this.#cells, at, 1n << this.#shift);
    Atomics.notify(this.#cells, at);
  }

  /** Resolves when a request begins or ends in any thread, or after the timeout. */
  async untilChanged(timeoutMs: number): Promise<void> {
    const at = FIELDS.indexOf('underWay');
    const waiting = Atomics.waitAsync(this.#cells, at, Atomics.load(this.#cells, at), timeoutMs);
    await waiting.value;
  }
}

/** Until when a chain's budget is spent, in microseconds of the process's monotonic clock. */
export class BudgetCell {
  /** The second one counts credits. */
  readonly #cells: BigInt64Array;

  /** Without `shared`, a cell of its own. */
  constructor(shared: SharedEndpoints | null) {
    const memory = shared?.memory ?? createEndpointMemory(0);
    this.#cells = new BigInt64Array(memory, memory.byteLength - CHAIN_CELLS * CELL_BYTES);
  }

  get spentUntilUs(): number {
    return Number(Atomics.load(this.#cells, 0));
  }

  /**
   * Adds a duration, counted from `nowUs` if the budget was not spent until then; in all at most
   * `aheadMaxUs` from then.
   */
  spend(durationUs: number, nowUs: number, aheadMaxUs: number): void {
    for (;;) {
      const before = Atomics.load(this.#cells, 0);
      const from = Math.max(Number(before), nowUs);
      const after = BigInt(Math.ceil(Math.min(from + durationUs, nowUs + aheadMaxUs)));
      if (Atomics.compareExchange(this.#cells, 0, before, after) === before) return;
    }
  }

  /** Never lowers the value. */
  raise(untilUs: number): void {
    const after = BigInt(Math.ceil(untilUs));
    for (;;) {
      const before = Atomics.load(this.#cells, 0);
      if (before >= after) return;
      if (Atomics.compareExchange(this.#cells, 0, before, after) === before) return;
    }
  }

  /** Credits that were spent here, of which other processes are to be told. */
  addUntold(credits: number): void {
    Atomics.add(this.#cells, 1, BigInt(credits));
  }

  takeUntold(): number {
    return Number(Atomics.exchange(this.#cells, 1, 0n));
  }
}
