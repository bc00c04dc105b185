// Reads the logs of a long reply straight from its bytes. `JSON.parse` makes a string of each
// value, six kilobytes for the logs of a swap, though most of these texts are known from earlier
// logs. Only what nodes usually send is read here: anything else is left to the parser, which also
// says what is wrong with it.

import type { Address, TransactionId } from '../../../model/ids.ts';
import { parseBytes, skipValue, startsWithBytes, type ValueBytes } from '../../rpc/json-bytes.ts';
import type { EvmLog } from '../evm-log.ts';
import { toTimeMs } from './block-time.ts';
import { equalBytes, findHexEnd, hasHexPrefix, isLowerHex, readHexNumber } from './hex-bytes.ts';
import {
  ADDRESS_LENGTH,
  KNOWN_ACCOUNTS,
  KNOWN_WORDS,
  type KnownHex,
  WORD_LENGTH,
} from './known-hex.ts';
import type { LogRange } from './parse-logs.ts';

/** So many digits are below 2^53. */
const NUMBER_DIGITS_MAX = 13;
/** Of zero with its prefix, in quotes. */
const ZERO_LENGTH = 5;
const NO_TOPICS: readonly string[] = [];

const [QUOTE, COMMA, LIST_START, LIST_END, LOG_END] = [34, 44, 91, 93, 125];
const NOT_REMOVED = Buffer.from('false');

/** One of a log's values, in the order in which the node writes them. */
interface LogField {
  /** What comes before the value. */
  readonly start: Buffer;
  readonly name: string;
}

const NEEDED = [
  'address',
  'topics',
  'data',
  'blockNumber',
  'blockHash',
  'transactionHash',
  'logIndex',
];

/** Made once, because nobody reads where it was thrown. */
const UNUSUAL = new Error('not as nodes usually send logs');

/** The order of the fields, from the first log. */
function readFields({ body, start, end }: ValueBytes): LogField[] {
  const logEnd = skipValue(body, start);
  const first = logEnd > end ? undefined : parseBytes({ body, start, end: logEnd });
  if (typeof first !== 'object' || first === null) throw UNUSUAL;
  const names = Object.keys(first);
  if (!NEEDED.every((name) => names.includes(name))) throw UNUSUAL;
  return names.map((name, index) => {
    const text = `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`;
    return { start: Buffer.from(text), name };
  });
}

/** A log whose data is read from the reply when it is decoded, and not kept. */
class ScannedLog implements EvmLog {
  readonly address: Address;
  readonly topics: readonly string[];
  readonly block: number;
  readonly blockHash: string;
  readonly txHash: TransactionId;
  readonly logIndex: number;
  readonly timestampMs: number | null;
  readonly #body: Buffer;
  readonly #dataStart: number;
  readonly #dataEnd: number;

  constructor(scanner: LogScanner) {
    this.address = scanner.address;
    this.topics = scanner.topics;
    this.block = scanner.block;
    this.blockHash = scanner.blockHash;
    this.txHash = scanner.txHash;
    this.logIndex = scanner.logIndex;
    this.timestampMs = scanner.timestampMs;
    this.#body = scanner.body;
    this.#dataStart = scanner.dataStart;
    this.#dataEnd = scanner.dataEnd;
  }

  get data(): string {
    return this.#body.toString('latin1', this.#dataStart, this.#dataEnd);
  }
}

/** The values of the log that was read last. */
class LogScanner {
  readonly body: Buffer;
  readonly #fields: readonly LogField[];
  #at: number;
  #blockHashAt = -1;
  #txHashAt = -1;
  address = '' as Address;
  topics: readonly string[] = [];
  dataStart = 0;
  dataEnd = 0;
  block = 0;
  blockHash = '';
  txHash = '' as TransactionId;
  logIndex = 0;
  timestampMs: number | null = null;
  #seconds: number | null = null;
  #ms: number | null = null;

  constructor(list: ValueBytes) {
    this.body = list.body;
    this.#at = list.start;
    this.#fields = readFields(list);
  }

  /** Where the next one starts, behind a comma, or the end of the list. */
  read(): number {
    for (const field of this.#fields) {
      this.#pass(field.start);
      this.#readValue(field.name);
    }
    this.#expect(LOG_END);
    this.timestampMs = this.#seconds === null ? null : toTimeMs(this.#seconds, this.#ms);
    return this.#at;
  }

  passComma(): void {
    this.#expect(COMMA);
  }

  #readValue(name: string): void {
    switch (name) {
      case 'address':
        this.address = this.#readKnown(KNOWN_ACCOUNTS, ADDRESS_LENGTH);
        return;
      case 'topics':
        this.topics = this.#readTopics();
        return;
      case 'data':
        this.#readData();
        return;
      case 'blockNumber':
        this.block = this.#readNumber();
        return;
      case 'blockHash':
        this.blockHash = this.#readHash(this.#blockHashAt, this.blockHash);
        this.#blockHashAt = this.#at - WORD_LENGTH - 1;
        return;
      case 'transactionHash':
        this.txHash = this.#readHash(this.#txHashAt, this.txHash) as TransactionId;
        this.#txHashAt = this.#at - WORD_LENGTH - 1;
        return;
      case 'logIndex':
        this.logIndex = this.#readNumber();
        return;
      case 'blockTimestamp':
        this.#seconds = this.#readSeconds();
        return;
      case 'blockTimestampMs':
        this.#ms = this.#readNumber();
        return;
      case 'removed':
        this.#pass(NOT_REMOVED);
        return;
      default:
        this.#passValue();
    }
  }

  #expect(code: number): void {
    if (this.body[this.#at] !== code) throw UNUSUAL;
    this.#at += 1;
  }

  #pass(expected: Buffer): void {
    if (!startsWithBytes(this.body, this.#at, expected)) throw UNUSUAL;
    this.#at += expected.length;
  }

  #passValue(): void {
    this.#at = skipValue(this.body, this.#at);
    if (this.#at < 0) throw UNUSUAL;
  }

  #readKnown<Text extends string>(known: KnownHex<Text>, length: number): Text {
    this.#expect(QUOTE);
    const text = known.find(this.body, this.#at);
    if (text === null) throw UNUSUAL;
    this.#at += length;
    this.#expect(QUOTE);
    return text;
  }

  /** Lists of their own length: one that grows has room for seventeen. */
  #readTopics(): readonly string[] {
    this.#expect(LIST_START);
    if (this.#passesEnd()) return NO_TOPICS;
    const first = this.#readKnown(KNOWN_WORDS, WORD_LENGTH);
    if (this.#passesEnd()) return [first];
    const second = this.#readTopic();
    if (this.#passesEnd()) return [first, second];
    const third = this.#readTopic();
    if (this.#passesEnd()) return [first, second, third];
    const fourth = this.#readTopic();
    this.#expect(LIST_END);
    return [first, second, third, fourth];
  }

  #readTopic(): string {
    this.#expect(COMMA);
    return this.#readKnown(KNOWN_WORDS, WORD_LENGTH);
  }

  #passesEnd(): boolean {
    if (this.body[this.#at] !== LIST_END) return false;
    this.#at += 1;
    return true;
  }

  #readData(): void {
    this.#expect(QUOTE);
    this.dataStart = this.#at;
    this.dataEnd = this.#findDigitsEnd();
    if ((this.dataEnd - this.dataStart) % 2 !== 0) throw UNUSUAL;
    this.#at = this.dataEnd;
    this.#expect(QUOTE);
  }

  #findDigitsEnd(): number {
    if (!hasHexPrefix(this.body, this.#at)) throw UNUSUAL;
    return findHexEnd(this.body, this.#at + 2);
  }

  #readNumber(): number {
    this.#expect(QUOTE);
    const start = this.#at + 2;
    const end = this.#findDigitsEnd();
    if (end === start || end - start > NUMBER_DIGITS_MAX) throw UNUSUAL;
    this.#at = end;
    this.#expect(QUOTE);
    return readHexNumber(this.body, start, end);
  }

  /** Some nodes return zero if they do not know it. */
  #readSeconds(): number | null {
    const start = this.#at;
    const seconds = this.#readNumber();
    if (seconds > 0) return seconds;
    if (this.#at - start > ZERO_LENGTH) throw UNUSUAL;
    return null;
  }

  /** Logs of one block, or of one transaction, repeat its hash. */
  #readHash(previousAt: number, previous: string): string {
    this.#expect(QUOTE);
    const { body } = this;
    const at = this.#at;
    const end = at + WORD_LENGTH;
    this.#at = end;
    this.#expect(QUOTE);
    const before = { bytes: body, at: previousAt };
    if (previousAt >= 0 && equalBytes(before, { bytes: body, at }, WORD_LENGTH)) return previous;
    if (!isLowerHex(body, at, end)) throw UNUSUAL;
    return body.toString('latin1', at, end);
  }
}

function assertNext(previous: EvmLog | undefined, log: EvmLog, range: LogRange): void {
  if (log.block < range.fromBlock || log.block > range.toBlock) throw UNUSUAL;
  if (previous === undefined || previous.block < log.block) return;
  const isNext =
    previous.block === log.block &&
    previous.logIndex < log.logIndex &&
    previous.blockHash === log.blockHash &&
    previous.timestampMs === log.timestampMs;
  if (!isNext) throw UNUSUAL;
}

/** In chain order; null if the parser must read them. */
export function scanLogs(list: ValueBytes, range: LogRange): EvmLog[] | null {
  try {
    const scanner = new LogScanner(list);
    const logs: EvmLog[] = [];
    for (;;) {
      const end = scanner.read();
      const log = new ScannedLog(scanner);
      assertNext(logs.at(-1), log, range);
      logs.push(log);
      if (end === list.end) return logs;
      scanner.passComma();
    }
  } catch (error) {
    if (error === UNUSUAL) return null;
    throw error;
  }
}
