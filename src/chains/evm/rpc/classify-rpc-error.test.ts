// Pins how nodes' error texts are classified; each was seen on a real node.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RpcErrorKind } from '../../rpc/rpc-error.ts';
import { classifyRpcError } from './classify-rpc-error.ts';
import type { RpcMethod } from './rpc-method.ts';

function classify(code: number | null, message: string, method: RpcMethod | null = null) {
  const where = { method, endpoint: 'node#0', retryAfterMs: null };
  return classifyRpcError({ code, message, data: null, ...where });
}

const RANGE: readonly [number | null, string, number | null][] = [
  [-32005, 'query returned more than 10000 results', null],
  [-32005, 'query returned more than 10000 results. Try with this block range [0x10, 0x1f].', 16],
  [
    -32602,
    'Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range and no limit on the response size, or you can request any block range with a cap of 10K logs in the response. Based on your parameters and the response size limit, this block range should work: [0x64, 0xc7]',
    100,
  ],
  [-32614, 'eth_getLogs and eth_newFilter are limited to a 10,000 blocks range', 10_000],
  [-32000, 'exceed maximum block range: 5000', 5_000],
  [-32600, 'block range is too wide', null],
  [-32600, 'block range is too wide (maximum 3000)', 3_000],
  [
    -32047,
    "Invalid eth_getLogs request. 'fromBlock'-'toBlock' range too large. Max range: 800",
    800,
  ],
  [-32602, 'eth_getLogs is limited to a 1024 block range', 1_024],
  [-32602, 'eth_getLogs is limited to 0 - 50000 blocks range', 50_000],
  [-32000, 'requested too many blocks from 1 to 4096, maximum is set to 2048', 2_048],
  [-32000, 'Maximum allowed number of requested blocks is 500', 500],
  [-32001, 'Block range limit exceeded. See more details at https://docs.example', null],
  [-32000, 'please limit the query to at most 1000 blocks', 1_000],
  [-32701, 'exceed max block range: 2000', 2_000],
  [-32000, 'maximum block range: 50000', 50_000],
  [-32602, 'query exceeds max block range 1000', 1_000],
  [-32000, 'block range greater than 10000 max', 10_000],
  [-32000, 'block range exceeds 5000', 5_000],
  [-32603, 'eth_getLogs range is too large, max is 10k blocks', 10_000],
  [-32000, 'query must be smaller than size 1024', 1_024],
  [-32602, 'exceeds the range allowed for your plan (5000 > 1000)', 1_000],
  [-32000, 'maximum [from, to] blocks distance: 2000', 2_000],
  [35, 'ranges over 10000 blocks are not supported on freetier', 10_000],
  [-32000, 'query exceeds max results 20000, retry with the range 0x64-0x77', 20],
  [-32000, 'logs matched by query exceeds limit of 10000', null],
  [-32008, 'response size should not greater than 10000000 bytes', null],
  [-32000, 'backend response too large', null],
  [-32602, 'range threshold exceeded', null],
  [-32000, 'block range too large', null],
  [-32005, 'eth_getLogs block range too large, range: 10001, max: 10000', 10_000],
  [-32000, 'query timeout exceeded', null],
  [-32000, 'too wide blocks range, the limit is 100', 100],
  [-32016, 'eth_getLogs request was canceled due to enabled timeout.', null],
  [30, 'Request timeout on the free tier, please upgrade your tier to the paid one', null],
];

const FILTERS: readonly [number, string][] = [
  [-32602, 'exceed max addresses or topics per search position'],
  [-32000, 'query exceeds the maximum of 1000 addresses or topics per search position'],
  [-32602, 'This query contains 5006 filters. The current limit is 5000.'],
  [-32701, 'Please, specify less number of addresses (max: 10)'],
];

test('a filter of too many addresses or topics is recognised, whatever the code', () => {
  for (const [code, message] of FILTERS) {
    assert.equal(classify(code, message, 'eth_getLogs').kind, 'filterTooLarge', message);
  }
});

test('what a node gave up, or says in unknown words, may be too much: of logs alone', () => {
  for (const [code, message] of [
    [-32002, 'request timed out'],
    [-32603, 'internal error'],
    [-1, 'something new'],
  ] as const) {
    const error = classify(code, message, 'eth_getLogs');
    assert.deepEqual([error.kind, error.ambiguous], ['network', true], message);
    assert.equal(classify(code, message, 'eth_call').ambiguous, false);
  }
});

test('an error for too large a range is recognised, with the suggested range', () => {
  for (const [code, message, suggested] of RANGE) {
    const error = classify(code, message);
    assert.equal(error.kind, 'rangeTooLarge', message);
    assert.equal(error.suggestedBlocks, suggested, message);
  }
});

const OTHERS: readonly [number | null, string, RpcErrorKind][] = [
  [-32005, 'daily request count exceeded, request rate limited', 'rateLimited'],
  [-32005, 'limit exceeded', 'rateLimited'],
  [-32005, 'something', 'rateLimited'],
  [429, 'Your app has exceeded its compute units per second capacity', 'rateLimited'],
  [-32007, '15/second request limit reached - reduce calls per second or upgrade', 'rateLimited'],
  [-32016, 'Too many requests', 'rateLimited'],
  [-32000, 'header not found', 'lagging'],
  [-32000, 'block range extends beyond current head block', 'lagging'],
  [-39001, 'Unknown block', 'lagging'],
  [-32602, 'BlockOutOfRangeError: block height is 3 but requested was 10', 'lagging'],
  [-32000, 'missing trie node 1234 (path ) state 0xab is not available', 'stateUnavailable'],
  [-32000, 'required historical state unavailable (reexec=128)', 'stateUnavailable'],
  [-32001, 'historical state is pruned, use an archive node', 'stateUnavailable'],
  [3, 'execution reverted: nope', 'reverted'],
  [-32000, 'execution reverted', 'reverted'],
  [-32000, 'out of gas', 'reverted'],
  // How contracts of before Solidity 0.4.10 refuse, and geth's other words for a failed call.
  [-32000, 'invalid jump destination', 'reverted'],
  [-32000, 'stack limit reached 1024 (1023)', 'reverted'],
  [-32000, 'return data out of bounds', 'reverted'],
  [-32000, 'write protection', 'reverted'],
  [-32000, 'execution aborted (timeout = 5s)', 'network'],
  [-32000, 'One of the blocks specified in filter (fromBlock, toBlock) cannot be found', 'lagging'],
  [-32701, 'Please specify an address in your request or use an archive', 'unsupported'],
  [-32601, 'the method eth_getBlockReceipts does not exist/is not available', 'unsupported'],
  [-32000, 'Must be authenticated!', 'denied'],
  [-32602, 'invalid argument 0: hex string without 0x prefix', 'rejected'],
  [-32603, 'internal error', 'network'],
  [null, 'whatever', 'network'],
];

test('rate limits, lag, missing state and reverts are distinguished', () => {
  for (const [code, message, kind] of OTHERS) {
    assert.equal(classify(code, message).kind, kind, message);
  }
});

test("a simulated transaction that no block could hold is our fault, not the endpoint's", () => {
  for (const [code, message] of [
    [-38014, 'err: insufficient funds for gas * price + value: address 0x1 have 0 want 1'],
    [-38026, 'too many blocks'],
    [-32003, 'Insufficient funds for gas * price + value'],
    [-32000, 'max fee per gas less than block base fee: address 0x1'],
    [-32000, 'err: sender not an eoa: address 0x1'],
  ] as const) {
    assert.equal(classify(code, message, 'eth_simulateV1').kind, 'rejected', message);
  }
});

test('an ambiguous limit is marked, since it may also be about the range', () => {
  assert.equal(classify(-32005, 'limit exceeded').ambiguous, true);
  assert.equal(
    classify(-32011, 'no backend is currently healthy to serve traffic').ambiguous,
    true,
  );
  assert.equal(classify(-32016, 'Too many requests').ambiguous, false);
});

test('a missing resource is state for a call that needs it, otherwise a block to come', () => {
  const classifyMissing = (method: RpcMethod) =>
    classify(-32001, 'Resource not found', method).kind;
  for (const method of ['eth_call', 'eth_getCode', 'eth_simulateV1'] as const) {
    assert.equal(classifyMissing(method), 'stateUnavailable', method);
  }
  for (const method of ['eth_getBlockReceipts', 'eth_getLogs', 'eth_getBlockByHash'] as const) {
    assert.equal(classifyMissing(method), 'lagging', method);
  }
});
