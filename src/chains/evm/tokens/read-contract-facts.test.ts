// Pins what is read from a token's bytecode.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { keccak256, toFunctionSelector, toHex } from 'viem';
import { RpcFault } from '../../../../test/fakes/misbehaving-rpc.ts';
import { startClientOn } from '../../../../test/fakes/start-client-on.ts';
import { address } from '../../../../test/test-ids.ts';
import { readContractFacts } from './read-contract-facts.ts';

const TOKEN = address(`0x${'22'.repeat(20)}`);
const OWNER = `0x${'11'.repeat(20)}`;
const { signal } = new AbortController();

const cleanups: (() => unknown)[] = [];
after(async () => {
  for (const cleanup of cleanups) await cleanup();
});

async function read(code: string, owner: { readonly selector?: string; readonly reply?: string }) {
  const cleanup = { after: (work: () => unknown) => void cleanups.push(work) };
  const { client } = await startClientOn(
    cleanup,
    (method, params) => {
      if (method === 'eth_getCode') return code;
      const [{ data }] = params as [{ data: string }];
      if (data !== owner.selector) throw new RpcFault(3, 'execution reverted');
      return owner.reply ?? `0x${OWNER.slice(2).padStart(64, '0')}`;
    },
    5000,
  );
  return readContractFacts(client, TOKEN, signal);
}

const slotOf = (text: string) => keccak256(toHex(text)).slice(2);
const minusOne = (slot: string) => (BigInt(`0x${slot}`) - 1n).toString(16).padStart(64, '0');
const push4 = (signature: string) => `63${toFunctionSelector(signature).slice(2)}`;

test('a plain token: no owner, no mint, no proxy', async () => {
  const facts = await read('0x6080604052', {});
  assert.deepEqual(facts, { kind: 'contract', owner: null, isMintable: false, isProxy: false });
});

test('every mint function that is known, at a whole byte only', async () => {
  for (const signature of [
    'mint(address,uint256)',
    'mint(uint256)',
    'mint(address,uint256,bytes)',
    'mintTo(address,uint256)',
    'issue(uint256)',
  ]) {
    const code = `0x60806040${push4(signature)}14`;
    assert.equal((await read(code, {}))?.isMintable, true, signature);
  }
  assert.equal((await read(`0x6${push4('mint(uint256)')}0`, {}))?.isMintable, false);
});

test('the owner by either function; the zero address where it was given up', async () => {
  for (const signature of ['owner()', 'getOwner()']) {
    const selector = toFunctionSelector(signature);
    assert.equal((await read('0x60', { selector }))?.owner, OWNER);
  }
  const selector = toFunctionSelector('owner()');
  const zero = `0x${'0'.repeat(64)}`;
  assert.equal((await read('0x60', { selector, reply: zero }))?.owner, `0x${'0'.repeat(40)}`);
  for (const reply of ['0x', `0x${'ff'.repeat(32)}`, '0x01']) {
    assert.equal((await read('0x60', { selector, reply }))?.owner, null, reply);
  }
});

test('proxies, of whose functions nothing is said', async () => {
  for (const slot of [
    minusOne(slotOf('eip1967.proxy.implementation')),
    minusOne(slotOf('eip1967.proxy.beacon')),
    slotOf('PROXIABLE'),
    slotOf('org.zeppelinos.proxy.implementation'),
  ]) {
    const facts = await read(`0x60806040527f${slot}54${push4('mint(uint256)')}`, {});
    assert.deepEqual([facts?.isProxy, facts?.isMintable], [true, null], slot);
  }
  const minimal = `0x363d3d373d3d3d363d73${'be'.repeat(20)}5af43d82803e903d91602b57fd5bf3`;
  assert.equal((await read(minimal, {}))?.isProxy, true);
});

test('an address without code has no facts', async () => {
  assert.equal(await read('0x', {}), null);
});
