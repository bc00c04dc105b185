// Validates every log of a reply before it is used. A node may lie, mix branches or truncate its
// reply; a contradictory reply is rejected as a whole.

import type { Address, TransactionId } from '../../../model/ids.ts';
import { RpcError } from '../../rpc/rpc-error.ts';
import { toTimeMs } from './block-time.ts';
import type { EvmLog } from './evm-log.ts';
import { KNOWN_ADDRESSES } from './hex-data.ts';
import { KnownTexts } from './known-texts.ts';

export interface LogRange {
  readonly fromBlock: number;
  readonly toBlock: number;
  /** The endpoint's redacted name, for errors. */
  readonly endpoint: string;
}

const ADDRESS = /^0x[0-9a-f]{40}$/;
const WORD = /^0x[0-9a-f]{64}$/;
const BYTES = /^0x[0-9a-f]*$/;
const TOPICS_MAX = 4;

class Malformed extends Error {}

/** Nodes reply in lower case; upper case is accepted too. */
function parseHex(value: unknown, pattern: RegExp, what: string): string {
  if (typeof value === 'string') {
    if (pattern.test(value)) return value;
    const lower = value.toLowerCase();
    if (pattern.test(lower)) return lower;
  }
  throw new Malformed(`${what} is malformed`);
}

/** So many digits, with their prefix, are below 2^53. */
const SHORT_LENGTH_MAX = 15;
const [CODE_0, CODE_9, CODE_A] = [48, 57, 97];

/** `Number` leaves compiled code for each text. NaN for anything but digits. */
function parseShortHex(text: string): number {
  let number = text.length > 2 ? 0 : Number.NaN;
  for (let index = 2; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    // Upper case becomes lower case, and digits stay digits.
    const digit = code <= CODE_9 ? code - CODE_0 : (code | 32) - CODE_A + 10;
    if (digit < 0 || digit > 15 || (digit < 10 && code > CODE_9)) return Number.NaN;
    number = number * 16 + digit;
  }
  return number;
}

function parseHexNumber(text: string): number {
  if (!text.startsWith('0x')) return Number.NaN;
  return text.length <= SHORT_LENGTH_MAX ? parseShortHex(text) : Number(text);
}

function parseNumber(value: unknown, what: string): number {
  const number = typeof value === 'string' ? parseHexNumber(value) : Number.NaN;
  if (!Number.isSafeInteger(number)) throw new Malformed(`${what} is malformed`);
  return number;
}

const WORDS = new KnownTexts((text) => (WORD.test(text) ? text : null));

function parseAddress(value: unknown): Address {
  const known = typeof value === 'string' ? KNOWN_ADDRESSES.find(value) : null;
  return known ?? (parseHex(value, ADDRESS, 'address') as Address);
}

/** The first topic is usually that of the previous log, so a comparison comes before validation. */
function parseTopics(value: unknown, previous: EvmLog | null): readonly string[] {
  if (!Array.isArray(value) || value.length > TOPICS_MAX)
    throw new Malformed('topics are malformed');
  for (let index = 0; index < value.length; index += 1) {
    const topic = value[index];
    if (index === 0 && topic === previous?.topics[0]) continue;
    const known = typeof topic === 'string' ? WORDS.find(topic) : null;
    value[index] = known ?? parseHex(topic, WORD, 'topic');
  }
  return value;
}

/** The log's own time, if the node returns it; some return zero if they do not know. */
function parseTimestampMs(seconds: unknown, ms: unknown): number | null {
  if (seconds === undefined || seconds === null || seconds === '0x0') return null;
  return toTimeMs(
    parseNumber(seconds, 'timestamp'),
    typeof ms === 'string' ? parseHexNumber(ms) : null,
  );
}

function parseLog(raw: unknown, previous: EvmLog | null): EvmLog {
  if (typeof raw !== 'object' || raw === null) throw new Malformed('log is not an object');
  const log = raw as Record<string, unknown>;
  if (log['removed'] === true) throw new Malformed('log was removed');
  const block = parseNumber(log['blockNumber'], 'block number');
  const blockHash = log['blockHash'];
  const txHash = log['transactionHash'];
  const data = log['data'];
  return {
    address: parseAddress(log['address']),
    topics: parseTopics(log['topics'], previous),
    data:
      typeof data === 'string' && data.length % 2 === 0
        ? parseHex(data, BYTES, 'data')
        : parseHex(null, BYTES, 'data'),
    block,
    // Logs of one block repeat its hash: comparing is cheaper than validating, and the string is
    // shared.
    blockHash:
      previous !== null && previous.blockHash === blockHash
        ? previous.blockHash
        : parseHex(blockHash, WORD, 'block hash'),
    txHash:
      previous !== null && previous.txHash === txHash
        ? previous.txHash
        : (parseHex(txHash, WORD, 'transaction hash') as TransactionId),
    logIndex: parseNumber(log['logIndex'], 'log index'),
    timestampMs: parseTimestampMs(log['blockTimestamp'], log['blockTimestampMs']),
  };
}

function compare(left: EvmLog, right: EvmLog): number {
  return left.block - right.block || left.logIndex - right.logIndex;
}

function assertSequence(logs: readonly EvmLog[], range: LogRange): void {
  let previous: EvmLog | null = null;
  for (const log of logs) {
    if (log.block < range.fromBlock || log.block > range.toBlock) {
      throw new Malformed(`block ${log.block} was not requested`);
    }
    if (previous !== null && previous.block === log.block) {
      if (previous.logIndex === log.logIndex) throw new Malformed('duplicate log');
      if (previous.blockHash !== log.blockHash) throw new Malformed('block has two hashes');
      if (previous.timestampMs !== log.timestampMs) throw new Malformed('block has two times');
    }
    previous = log;
  }
}

/**
 * The logs of a reply, in chain order. Throws `invalidReply` for impossible data. The list is
 * replaced item by item: kept until the end, a reply is copied whole by the next collections.
 */
export function parseLogs(list: unknown, range: LogRange): EvmLog[] {
  try {
    if (!Array.isArray(list)) throw new Malformed('logs are not a list');
    const logs: EvmLog[] = list;
    let previous: EvmLog | null = null;
    let sorted = true;
    for (let index = 0; index < list.length; index += 1) {
      const log = parseLog(list[index], previous);
      sorted &&= previous === null || compare(previous, log) < 0;
      logs[index] = log;
      previous = log;
    }
    if (!sorted) logs.sort(compare);
    assertSequence(logs, range);
    return logs;
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
    const { endpoint } = range;
    throw new RpcError('invalidReply', `${endpoint}: ${error.message}`, { endpoint });
  }
}
