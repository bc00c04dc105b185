// Pins how addresses are grouped and matched.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAddressMatcher, parseCidr, toAddressGroup } from './ip-address.ts';

test('IPv4 stands for itself, also inside a dual-stack socket', () => {
  assert.equal(toAddressGroup('203.0.113.7'), '203.0.113.7');
  assert.equal(toAddressGroup('::ffff:203.0.113.7'), '203.0.113.7');
});

test('IPv6 is grouped by its /64, however it is written', () => {
  const group = '2001:db8:1:2::/64';
  for (const address of [
    '2001:db8:1:2::1',
    '2001:0DB8:0001:0002:ffff:ffff:ffff:ffff',
    '2001:db8:1:2:0:0:0:9',
    '2001:db8:1:2::192.0.2.1',
    '2001:db8:1:2::1%eth0',
  ]) {
    assert.equal(toAddressGroup(address), group, address);
  }
  assert.notEqual(toAddressGroup('2001:db8:1:3::1'), group);
  assert.equal(toAddressGroup('::1'), '0:0:0:0::/64');
  assert.equal(toAddressGroup('fe80::1'), 'fe80:0:0:0::/64');
});

test('text that is not an address falls into one shared group', () => {
  for (const address of ['', 'localhost', '1.2.3', '::ffff:999.1.1.1', 'x'.repeat(10_000)]) {
    assert.equal(toAddressGroup(address), 'unknown', address.slice(0, 20));
  }
});

test('CIDRs are parsed strictly', () => {
  assert.deepEqual(parseCidr('10.0.0.0/8'), { address: '10.0.0.0', bits: 8, version: 4 });
  assert.deepEqual(parseCidr('::1'), { address: '::1', bits: 128, version: 6 });
  for (const text of ['10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/9', 'true', '1', '::/129', '']) {
    assert.equal(parseCidr(text), null, text);
  }
});

test('a matcher covers exactly its networks', () => {
  const matches = createAddressMatcher(['10.0.0.0/8', 'fd00::/8']);
  assert.equal(matches('10.255.0.1'), true);
  assert.equal(matches('::ffff:10.0.0.1'), true);
  assert.equal(matches('fd12::1'), true);
  assert.equal(matches('11.0.0.1'), false);
  assert.equal(matches('not an address'), false);
  assert.equal(createAddressMatcher([])('127.0.0.1'), false);
});
