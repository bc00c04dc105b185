// Only addresses of the public internet are public.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPublicAddress } from './ip-address.ts';

test('addresses of this machine, of private networks and of no network are not public', () => {
  for (const address of [
    ...['127.0.0.1', '127.8.8.8', '10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
    ...['169.254.169.254', '100.64.0.1', '0.0.0.0', '224.0.0.1', '255.255.255.255', '198.18.0.1'],
    ...['::1', '::', 'fe80::1', 'fc00::1', 'fd12::1', 'ff02::1', '::ffff:127.0.0.1'],
    ...['::ffff:7f00:1', '64:ff9b::7f00:1', '2002:7f00:1::', '2001:db8::1', '2001::1', 'localhost'],
  ]) {
    assert.equal(isPublicAddress(address), false, address);
  }
});

test('other addresses are public', () => {
  for (const address of ['1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00::1']) {
    assert.equal(isPublicAddress(address), true, address);
  }
});
