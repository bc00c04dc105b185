// A contract call as the ABI specification describes it, word by word: independent of the encoder
// of the library that the product uses.

import type { Hex } from 'viem';

/** A number, an address, bytes, an array of values of one type, or a struct with a dynamic part. */
export type CallValue =
  | bigint
  | Hex
  | { readonly bytes: Hex }
  | { readonly list: readonly CallValue[] }
  | { readonly tuple: readonly CallValue[] };

const WORD_BYTES = 32;

function toWord(value: bigint): string {
  return value.toString(16).padStart(WORD_BYTES * 2, '0');
}

/** What is dynamic stands after the heads, each of which says where. */
function encodeAll(values: readonly CallValue[]): string {
  let [heads, tails] = ['', ''];
  for (const value of values) {
    if (typeof value === 'object') {
      heads += toWord(BigInt(values.length * WORD_BYTES + tails.length / 2));
      tails += encodeDynamic(value);
    } else heads += toWord(BigInt(value));
  }
  return heads + tails;
}

function encodeDynamic(value: Exclude<CallValue, bigint | Hex>): string {
  if ('tuple' in value) return encodeAll(value.tuple);
  if ('list' in value) return toWord(BigInt(value.list.length)) + encodeAll(value.list);
  const digits = value.bytes.slice(2);
  const wordDigits = WORD_BYTES * 2;
  const padded = digits.padEnd(Math.ceil(digits.length / wordDigits) * wordDigits, '0');
  return toWord(BigInt(digits.length / 2)) + padded;
}

/** The selector has eight digits. */
export function encodeWords(selector: string, ...values: readonly CallValue[]): Hex {
  return `0x${selector}${encodeAll(values)}`;
}
