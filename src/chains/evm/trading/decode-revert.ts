// Explains why a call reverted: errors of the routers, of Solidity, and of unknown contracts.

import type { Hex } from 'viem';
import { decodeErrorResult, parseAbi, toFunctionSelector } from 'viem/utils';
import { cleanText } from '../../../lib/clean-text.ts';
import { VENUE_PROTOCOLS } from '../venues/registry.ts';
import { TOO_LITTLE } from '../venues/router-kind.ts';

const ERRORS_ABI = parseAbi([
  'error Error(string)',
  'error Panic(uint256)',
  'error ExecutionFailed(uint256 commandIndex, bytes message)',
  'error WrappedError(address target, bytes4 selector, bytes reason, bytes details)',
]);

const TOO_MUCH = 'the input is more than the maximum';

/** Of routers, Permit2, tokens and venues: strings, and the signatures of errors. */
const MEANINGS: Readonly<Record<string, string>> = {
  ...Object.assign({}, ...VENUE_PROTOCOLS.map(({ reverts }) => reverts)),
  'InsufficientToken()': TOO_LITTLE,
  'InsufficientETH()': TOO_LITTLE,
  'InsufficientBalance()': 'the router holds too little',
  'TransactionDeadlinePassed()': 'the deadline has passed',
  'AllowanceExpired(uint256)': 'the Permit2 allowance has expired or was never given',
  'InsufficientAllowance(uint256)': 'the Permit2 allowance is too small',
  'InvalidEthSender()': 'an unexpected sender sent native coin to the router',
  'ERC20InsufficientBalance(address,uint256,uint256)':
    'the token says that the balance is too small',
  'ERC20InsufficientAllowance(address,uint256,uint256)':
    'the token says that the allowance is too small',
  TRANSFER_FROM_FAILED: 'the token refuses to be transferred from the wallet',
  TRANSFER_FAILED: 'the token refuses to be transferred',
  ETH_TRANSFER_FAILED: 'the wallet refuses the native coin',
  'Too little received': TOO_LITTLE,
  'Too much requested': TOO_MUCH,
};

/** By the first bytes of what a contract reverts with. */
const ERRORS = new Map(
  Object.entries(MEANINGS).flatMap(([signature, meaning]) => {
    const [name = '', isError] = signature.split('(');
    if (isError === undefined) return [];
    return [[toFunctionSelector(signature), `${meaning} (${name})`] as const];
  }),
);

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
  if (Object.hasOwn(MEANINGS, text)) return MEANINGS[text];
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
  if (error === null) {
    const selector = data.slice(0, 10) as Hex;
    return ERRORS.get(selector) ?? `a contract reverted with the error ${selector}`;
  }
  const { errorName } = error;
  if (errorName === 'Error') return quote(error.args[0]);
  if (errorName === 'Panic') {
    return `a contract failed: ${PANICS[String(error.args[0])] ?? `panic ${error.args[0]}`}`;
  }
  if (errorName === 'ExecutionFailed') return decodeRevertReason(error.args[1], depth + 1);
  return decodeRevertReason(error.args[2], depth + 1);
}
