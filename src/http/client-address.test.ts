// Pins that only configured proxies can set a caller's address.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAddressReader } from './client-address.ts';

function request(remoteAddress: string, forwarded?: string) {
  return { socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } };
}

test('without proxies a forwarded header changes nothing', () => {
  const read = createAddressReader([]);
  assert.equal(read(request('198.51.100.1', '1.2.3.4')), '198.51.100.1');
});

test("an untrusted peer's forwarded header is ignored", () => {
  const read = createAddressReader(['10.0.0.0/8']);
  assert.equal(read(request('198.51.100.1', '1.2.3.4')), '198.51.100.1');
});

test('a trusted proxy names its client, however many proxies there are', () => {
  const read = createAddressReader(['10.0.0.0/8', 'fd00::/8']);
  assert.equal(read(request('10.0.0.1', '203.0.113.9')), '203.0.113.9');
  assert.equal(read(request('::ffff:10.0.0.1', '203.0.113.9, 10.0.0.2')), '203.0.113.9');
  assert.equal(read(request('fd00::1', '2001:db8::5')), '2001:db8:0:0::/64');
});

test('entries that the client itself put in the header are ignored', () => {
  const read = createAddressReader(['10.0.0.0/8']);
  assert.equal(read(request('10.0.0.1', '1.1.1.1, 2.2.2.2, 203.0.113.9')), '203.0.113.9');
  assert.equal(read(request('10.0.0.1', '10.9.9.9, 203.0.113.9')), '203.0.113.9');
});

test('an invalid entry in the header leaves the last valid address', () => {
  const read = createAddressReader(['10.0.0.0/8']);
  assert.equal(read(request('10.0.0.1', 'unknown')), '10.0.0.1');
  assert.equal(read(request('10.0.0.1', 'evil, 10.0.0.2')), '10.0.0.2');
  assert.equal(read(request('10.0.0.1', '')), '10.0.0.1');
  assert.equal(read(request('10.0.0.1', `${'x,'.repeat(5000)}203.0.113.9`)), '203.0.113.9');
});

test('a hop may have a port', () => {
  const read = createAddressReader(['10.0.0.0/8']);
  assert.equal(read(request('10.0.0.1', '203.0.113.9:4711')), '203.0.113.9');
  assert.equal(read(request('10.0.0.1', '203.0.113.9:4711, 10.0.0.2:80')), '203.0.113.9');
  assert.equal(read(request('10.0.0.1', '[2001:db8::5]:4711')), '2001:db8:0:0::/64');
  assert.equal(read(request('10.0.0.1', '[2001:db8::5]')), '2001:db8:0:0::/64');
  assert.equal(read(request('10.0.0.1', '2001:db8::5')), '2001:db8:0:0::/64');
  assert.equal(read(request('10.0.0.1', '203.0.113.9:port')), '10.0.0.1');
});
