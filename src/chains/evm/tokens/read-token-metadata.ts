// Reads the metadata of token contracts. It is untrusted.

import { cleanText } from '../../../lib/clean-text.ts';
import type { Address } from '../../../model/ids.ts';
import type { TokenMetadata } from '../../../model/token-metadata.ts';
import type { TokenSupply } from '../../adapter.ts';
import { addressWord, encodeCallData, hasWords, uintAt } from '../data/hex-data.ts';
import type { CallContracts } from '../rpc/multicall.ts';

export const SYMBOL_SELECTOR = '0x95d89b41';
export const NAME_SELECTOR = '0x06fdde03';
export const DECIMALS_SELECTOR = '0x313ce567';
export const TOTAL_SUPPLY_SELECTOR = '0x18160ddd';
export const BALANCE_OF_SELECTOR = '0x70a08231';

const DECIMALS_MAX = 255n;

/** More bytes than could ever be shown; the rest of a long string is not decoded. */
const TEXT_BYTES_MAX = 16_384;

function toUtf8(hex: string): string {
  return Buffer.from(hex.slice(0, TEXT_BYTES_MAX * 2), 'hex').toString('utf8');
}

/** A `string`, or the `bytes32` of early tokens; null if it is neither or nothing is visible. */
export function decodeText(data: string | null): string | null {
  if (data === null || data.length < 2 + 64) return null;
  if (hasWords(data, 1)) return cleanText(toUtf8(data.slice(2).replace(/(?:00)+$/, '')));
  const offset = uintAt(data, 0);
  const bytes = BigInt((data.length - 2) / 2);
  if (offset % 32n !== 0n || offset + 32n > bytes) return null;
  const length = BigInt(`0x${data.slice(2 + Number(offset) * 2, 2 + Number(offset) * 2 + 64)}`);
  if (offset + 32n + length > bytes) return null;
  const start = 2 + (Number(offset) + 32) * 2;
  return cleanText(toUtf8(data.slice(start, start + Number(length) * 2)));
}

export function decodeUint(data: string | null): bigint | null {
  return data !== null && hasWords(data, 1) ? uintAt(data, 0) : null;
}

export async function readTokenMetadata(
  tokens: readonly Address[],
  callContracts: CallContracts,
): Promise<TokenMetadata[]> {
  const selectors = [SYMBOL_SELECTOR, NAME_SELECTOR, DECIMALS_SELECTOR];
  const answers = await callContracts(
    tokens.flatMap((token) => selectors.map((data) => ({ to: token, data }))),
  );
  return tokens.map((token, index) => {
    const [symbol = null, name = null, decimals = null] = answers.slice(index * 3, index * 3 + 3);
    const places = decodeUint(decimals);
    return {
      token,
      symbol: decodeText(symbol),
      name: decodeText(name),
      decimals: places === null || places > DECIMALS_MAX ? null : Number(places),
    };
  });
}

export async function readContractSupplies(
  tokens: readonly Address[],
  callContracts: CallContracts,
): Promise<TokenSupply[]> {
  const answers = await callContracts(
    tokens.map((token) => ({ to: token, data: TOTAL_SUPPLY_SELECTOR })),
  );
  return tokens.map((token, index) => ({ token, supplyRaw: decodeUint(answers[index] ?? null) }));
}

export async function readBalances(
  keys: readonly { readonly token: Address; readonly owner: Address }[],
  callContracts: CallContracts,
): Promise<(bigint | null)[]> {
  const answers = await callContracts(
    keys.map(({ token, owner }) => ({
      to: token,
      data: encodeCallData(BALANCE_OF_SELECTOR, addressWord(owner)),
    })),
  );
  return answers.map(decodeUint);
}
