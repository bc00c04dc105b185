// Explanations of reverts, from any contract.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeErrorResult, type Hex, parseAbi, toFunctionSelector } from 'viem';
import { decodeRevertReason } from './decode-revert.ts';

const ABI = parseAbi([
  'error Error(string)',
  'error Panic(uint256)',
  'error ExecutionFailed(uint256 commandIndex, bytes message)',
  'error WrappedError(address target, bytes4 selector, bytes reason, bytes details)',
]);

function encodeError(text: string): Hex {
  return encodeErrorResult({ abi: ABI, errorName: 'Error', args: [text] });
}

describe('decodeRevertReason', () => {
  it("knows the router's, Permit2's and V4's own errors", () => {
    for (const [selector, words, pattern] of [
      ['0x849eaf98', 0, /less than the minimum \(V2TooLittleReceived\)/],
      ['0x39d35496', 0, /less than the minimum \(V3TooLittleReceived\)/],
      ['0x8b063d73', 2, /less than the minimum \(V4TooLittleReceived\)/],
      ['0x5bf6f916', 0, /deadline has passed/],
      ['0xd81b2f2e', 1, /Permit2 allowance has expired/],
      ['0x486aa307', 0, /V4 pool of the route does not exist/],
    ] as const) {
      assert.match(decodeRevertReason(`${selector}${'0'.repeat(64 * words)}`), pattern);
    }
  });

  it('distinguishes panics, empty data and unknown errors', () => {
    const overflow = encodeErrorResult({ abi: ABI, errorName: 'Panic', args: [0x11n] });
    assert.match(decodeRevertReason(overflow), /underflowed/);
    assert.match(decodeRevertReason('0x'), /without a reason/);
    const selector = toFunctionSelector('function Blocked(address)');
    assert.match(decodeRevertReason(`${selector}${'0'.repeat(64)}`), new RegExp(selector));
    assert.match(decodeRevertReason('0x08c379a0ffff'), /0x08c379a0/);
  });

  it("gives a contract's text cleaned and cut", () => {
    assert.equal(
      decodeRevertReason(encodeError('SELLING_DISABLED')),
      'a contract said "SELLING_DISABLED"',
    );
    const hostile = decodeRevertReason(encodeError(`\u202eevil\u0000\n${'x'.repeat(5000)}`));
    assert.ok(hostile.length < 100);
    assert.doesNotMatch(hostile, /[\p{C}]/u);
  });

  it("knows the exchanges' abbreviated errors", () => {
    assert.match(
      decodeRevertReason(encodeError('IIA')),
      /a V3 pool received less than was sent \(IIA\)/,
    );
    assert.match(
      decodeRevertReason(encodeError('TRANSFER_FROM_FAILED')),
      /refuses to be transferred/,
    );
    for (const [text, meaning] of [
      ['BAL#507', 'the trade would exceed its limit'],
      ['Too much requested', 'the input is more than the maximum'],
      ['UniswapV2Router: EXCESSIVE_INPUT_AMOUNT', 'the input is more than the maximum'],
      ['PancakeRouter: INSUFFICIENT_OUTPUT_AMOUNT', 'the output is less than the minimum'],
    ] as const) {
      assert.equal(decodeRevertReason(encodeError(text)), `${meaning} (${text})`);
    }
    assert.equal(decodeRevertReason(encodeError('constructor')), 'a contract said "constructor"');
  });

  it('decodes nested errors, to a limited depth', () => {
    let data = encodeError('INNER');
    const wrap = () => {
      data = encodeErrorResult({ abi: ABI, errorName: 'ExecutionFailed', args: [1n, data] });
    };
    wrap();
    assert.match(decodeRevertReason(data), /INNER/);
    const zero = '0x0000000000000000000000000000000000000000';
    const args = [zero, '0x12345678', data, '0x'] as const;
    const hooked = encodeErrorResult({ abi: ABI, errorName: 'WrappedError', args });
    assert.match(decodeRevertReason(hooked), /INNER/);
    for (let i = 0; i < 20; i += 1) wrap();
    assert.match(decodeRevertReason(data), /without a reason/);
  });
});
