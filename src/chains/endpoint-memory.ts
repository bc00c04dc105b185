// What is known of a chain's endpoints, in memory that the threads of this process share: what one
// thread learns of an endpoint counts for all, and together they keep to one budget of requests.
//
// An endpoint has one cell per field. Each is read and written atomically by itself; fields that
// are written together may be seen half-way, which costs a request at worst.

const FIELDS = [
  /** In microseconds of the process's monotonic clock. */
  'availableAt',
  'failuresInARow',
  /** In microseconds; 0 where it has to be checked. */
  'chainCheckedAt',
  'isRefused',
  /** One more than the position; 0 where it is not known. */
  'headPlusOne',
  'requests',
  'failures',
  'rateLimited',
  /** 0 where no batch was refused yet. */
  'batchCallsMax',
  /** Requests under way: 16 bits for each thread. */
  'underWay',
] as const;

type Field = Exclude<(typeof FIELDS)[number], 'underWay'>;

/** The threads that ask nodes. Each counts its own requests, so that it can end without a trace. */
const THREADS = ['main', 'indexer'] as const;
const BITS_PER_THREAD = 16n;
const COUNT_MASK = (1n << BITS_PER_THREAD) - 1n;

/** Requests to one endpoint that are under way at once; more of them wait. */
export const REQUESTS_MAX = 16;
/** So many of them are kept for the other thread: neither can hold up the other. */
const KEPT_FOR_OTHER = 4;

export interface SharedEndpoints {
  /** Made by `createEndpointMemory`, for as many endpoints. */
  readonly memory: SharedArrayBuffer;
  readonly thread: (typeof THREADS)[number];
}

export function createEndpointMemory(endpointCount: number): SharedArrayBuffer {
  const bytes = endpointCount * FIELDS.length * BigInt64Array.BYTES_PER_ELEMENT;
  return new SharedArrayBuffer(bytes);
}

function computeShift(thread: SharedEndpoints['thread']): bigint {
  return BigInt(THREADS.indexOf(thread)) * BITS_PER_THREAD;
}

/** To be called when a thread has ended: the requests that it had under way are over. */
export function endThread({ memory, thread }: SharedEndpoints): void {
  const cells = new BigInt64Array(memory);
  for (let at = FIELDS.indexOf('underWay'); at < cells.length; at += FIELDS.length) {
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
    const offset = index * FIELDS.length * BigInt64Array.BYTES_PER_ELEMENT;
    this.#cells = new BigInt64Array(memory, offset, FIELDS.length);
    this.#shift = computeShift(shared?.thread ?? 'main');
    this.#ownMax = shared === null ? REQUESTS_MAX : REQUESTS_MAX - KEPT_FOR_OTHER;
  }

  get(field: Field): number {
    return Number(Atomics.load(this.#cells, FIELDS.indexOf(field)));
  }

  set(field: Field, value: number): void {
    Atomics.store(this.#cells, FIELDS.indexOf(field), BigInt(value));
  }

  increase(field: Field): void {
    Atomics.add(this.#cells, FIELDS.indexOf(field), 1n);
  }

  /** Never lowers it, whoever else writes. */
  raise(field: Field, to: number): void {
    const at = FIELDS.indexOf(field);
    for (;;) {
      const value = Atomics.load(this.#cells, at);
      if (value >= BigInt(to)) return;
      if (Atomics.compareExchange(this.#cells, at, value, BigInt(to)) === value) return;
    }
  }

  /** Counts a request as under way; false where there is no room for one more. */
  tryBegin(): boolean {
    const at = FIELDS.indexOf('underWay');
    for (;;) {
      const word = Atomics.load(this.#cells, at);
      const own = Number((word >> this.#shift) & COUNT_MASK);
      const total = THREADS.reduce((sum, thread) => {
        return sum + Number((word >> computeShift(thread)) & COUNT_MASK);
      }, 0);
      if (total >= REQUESTS_MAX || own >= this.#ownMax) return false;
      const next = word + (1n << this.#shift);
      if (Atomics.compareExchange(this.#cells, at, word, next) === word) return true;
    }
  }

  end(): void {
    const at = FIELDS.indexOf('underWay');
    Atomics.sub(this.#cells, at, 1n << this.#shift);
    Atomics.notify(this.#cells, at);
  }

  /** Resolves when a request has begun or ended in any thread, and after so long in any case. */
  async untilChanged(timeoutMs: number): Promise<void> {
    const at = FIELDS.indexOf('underWay');
    const waiting = Atomics.waitAsync(this.#cells, at, Atomics.load(this.#cells, at), timeoutMs);
    await waiting.value;
  }
}
