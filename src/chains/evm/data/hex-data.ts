// Reads and writes 32-byte words in hex. This is the hot path of indexing, so no ABI library is
// used.

import type { Address, PoolId } from '../../../model/ids.ts';
import { copyText, KnownTexts } from './known-texts.ts';

const WORD_LENGTH = 64;
const ZERO_PADDING = '0'.repeat(24);
const ADDRESS_TOPIC_START = `0x${ZERO_PADDING}`;

const ADDRESS = /^0x[0-9a-f]{40}$/;

/** Of tokens, pools, owners and senders: whoever is one of them may be another, too. */
export const KNOWN_ADDRESSES = new KnownTexts<Address>((text) =>
  ADDRESS.test(text) ? (text as Address) : null,
);

const TOPIC_ADDRESSES = new KnownTexts<Address>((topic) =>
  topic.startsWith(ADDRESS_TOPIC_START)
    ? KNOWN_ADDRESSES.find(copyText(`0x${topic.slice(26)}`))
    : null,
);

/** Whether data is exactly this many words. */
export function hasWords(data: string, count: number): boolean {
  return data.length === 2 + count * WORD_LENGTH;
}

/** Whether data has this word, whatever comes after it. */
export function hasWordAt(data: string, index: number): boolean {
  return data.length >= 2 + (index + 1) * WORD_LENGTH;
}

function wordAt(data: string, index: number): string {
  const start = 2 + index * WORD_LENGTH;
  return data.slice(start, start + WORD_LENGTH);
}

export function uintAt(data: string, index: number): bigint {
  return BigInt(`0x${wordAt(data, index)}`);
}

export function intAt(data: string, index: number): bigint {
  return BigInt.asIntN(256, uintAt(data, index));
}

/** A word with an `int24`; only the last three bytes matter, the rest is sign extension. */
export function toInt24(word: string): number {
  const value = Number.parseInt(word.slice(-6), 16);
  return value >= 0x80_0000 ? value - 0x100_0000 : value;
}

export function int24At(data: string, index: number): number {
  return toInt24(wordAt(data, index));
}

export function decodeAddressAt(data: string, index: number): Address {
  return copyText(`0x${wordAt(data, index).slice(24)}`) as Address;
}

/** The address in an indexed topic that is a valid word; null if there is none. */
export function toTopicAddress(topic: string | undefined): Address | null {
  return topic === undefined ? null : TOPIC_ADDRESSES.find(topic);
}

/** The pool in an indexed topic that was checked to be a word: V4 keys its pools by words. */
export function toTopicPool(topic: string | undefined): PoolId | undefined {
  return topic as PoolId | undefined;
}

/** Call data: the selector and whole words, each without its prefix. */
export function encodeCallData(selector: string, ...words: readonly string[]): string {
  return `${selector}${words.join('')}`;
}

export function addressWord(address: Address): string {
  return `${ZERO_PADDING}${address.slice(2)}`;
}

export function uintWord(value: bigint | number): string {
  return value.toString(16).padStart(WORD_LENGTH, '0');
}

export function intWord(value: bigint | number): string {
  return uintWord(BigInt.asUintN(256, BigInt(value)));
}

/** A block number in JSON-RPC format. */
export function toQuantity(value: number): string {
  return `0x${value.toString(16)}`;
}
