// Explains why a call reverted: errors of the routers, of Solidity, and of unknown contracts.

import type { Hex } from 'viem';
import { decodeErrorResult, parseAbi } from 'viem/utils';
import { cleanText } from '../../../lib/clean-text.ts';
import { VENUE_PROTOCOLS } from '../venues/registry.ts';

const ERRORS_ABI = parseAbi([
  'error Error(string)',
  'error Panic(uint256)',
  'error ExecutionFailed(uint256 commandIndex, bytes message)',
  'error WrappedError(address target, bytes4 selector, bytes reason, bytes details)',
  'error V2TooLittleReceived()',
  'error V3TooLittleReceived()',
  'error V4TooLittleReceived(uint256 minimum, uint256 received)',
  'error InsufficientToken()',
  'error InsufficientETH()',
  'error InsufficientBalance()',
  'error TransactionDeadlinePassed()',
  'error AllowanceExpired(uint256 deadline)',
  'error InsufficientAllowance(uint256 amount)',
  'error PoolNotInitialized()',
  'error CurrencyNotSettled()',
  'error V3InvalidSwap()',
  'error InvalidReserves()',
  'error InvalidEthSender()',
  'error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)',
  'error ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed)',
]);

const TOO_LITTLE = 'the output is less than the minimum';
const TOO_MUCH = 'the input is more than the maximum';

/** Explanations of errors whose names are unclear. */
const MEANINGS: Readonly<Record<string, string>> = {
  V2TooLittleReceived: TOO_LITTLE,
  V3TooLittleReceived: TOO_LITTLE,
  V4TooLittleReceived: TOO_LITTLE,
  InsufficientToken: TOO_LITTLE,
  InsufficientETH: TOO_LITTLE,
  InsufficientBalance: 'the router holds too little',
  TransactionDeadlinePassed: 'the deadline has passed',
  AllowanceExpired: 'the Permit2 allowance has expired or was never given',
  InsufficientAllowance: 'the Permit2 allowance is too small',
  PoolNotInitialized: 'a V4 pool of the route does not exist',
  CurrencyNotSettled: 'a token taxes its transfers, or a pool could not take the whole amount',
  V3InvalidSwap: 'a V3 pool of the route has no liquidity',
  InvalidReserves: 'a V2 pair of the route is empty',
  InvalidEthSender: 'an unexpected sender sent native coin to the router',
  ERC20InsufficientBalance: 'the token says that the balance is too small',
  ERC20InsufficientAllowance: 'the token says that the allowance is too small',
};

/** Explanations of short revert strings. */
const SAYINGS: Readonly<Record<string, string>> = {
  ...Object.assign({}, ...VENUE_PROTOCOLS.map(({ reverts }) => reverts)),
  TRANSFER_FROM_FAILED: 'the token refuses to be transferred from the wallet',
  TRANSFER_FAILED: 'the token refuses to be transferred',
  ETH_TRANSFER_FAILED: 'the wallet refuses the native coin',
  'Too little received': TOO_LITTLE,
  'Too much requested': TOO_MUCH,
};

const PANICS: Readonly<Record<string, string>> = {
  '1': 'an assertion failed',
  '17': 'a number over- or underflowed',
  '18': 'a division by zero',
  '50': 'an index out of bounds',
};

/** Errors may be nested; no honest one is deeper. */
const DEPTH_MAX = 4;

function decode(data: Hex) {
  try {
    return decodeErrorResult({ abi: ERRORS_ABI, data });
  } catch {
    return null;
  }
}

function findSaying(text: string): string | undefined {
  if (Object.hasOwn(SAYINGS, text)) return SAYINGS[text];
  // Forks of V2's router put their own name before the reason.
  if (text.endsWith('Router: EXCESSIVE_INPUT_AMOUNT')) return TOO_MUCH;
  return text.endsWith('Router: INSUFFICIENT_OUTPUT_AMOUNT') ? TOO_LITTLE : undefined;
}

function quote(text: string): string {
  const meaning = findSaying(text);
  if (meaning !== undefined) return `${meaning} (${cleanText(text)})`;
  const shown = cleanText(text);
  return shown === null ? 'a contract reverted without a reason' : `a contract said "${shown}"`;
}

/** Text from a contract is untrusted: it is truncated and cleaned. */
export function decodeRevertReason(data: string, depth = 0): string {
  if (data === '0x' || depth > DEPTH_MAX) return 'a contract reverted without a reason';
  const error = decode(data as Hex);
  if (error === null) return `a contract reverted with the error ${data.slice(0, 10)}`;
  const { errorName } = error;
  if (errorName === 'Error') return quote(error.args[0]);
  if (errorName === 'Panic') {
    return `a contract failed: ${PANICS[String(error.args[0])] ?? `panic ${error.args[0]}`}`;
  }
  if (errorName === 'ExecutionFailed') return decodeRevertReason(error.args[1], depth + 1);
  if (errorName === 'WrappedError') return decodeRevertReason(error.args[2], depth + 1);
  return `${MEANINGS[errorName] ?? 'a contract refused'} (${errorName})`;
}
