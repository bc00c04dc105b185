// Targets: which URLs and addresses are refused, and which address is connected to.

import assert from 'node:assert/strict';
import type { lookup } from 'node:dns';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import { createSendDelivery } from './send-delivery.ts';
import { createTargetLookup, findHostFault, findTargetFault } from './target.ts';

/** Other forms of loopback, private and special addresses, which `URL` normalises. */
const ADDRESSES = [
  ...['127.0.0.1', '127.1', '2130706433', '0x7f.1', '0177.0.0.1', '１２７.0.0.1', '0.0.0.0'],
  ...['10.0.0.1', '172.16.0.1', '192.168.1.1', '100.64.0.1', '169.254.169.254', '198.18.0.1'],
  ...['192.0.0.1', '192.0.2.1', '192.88.99.1', '198.51.100.1', '203.0.113.1', '224.0.0.1'],
  ...['255.255.255.255', '240.0.0.1', '[::]', '[::1]', '[::ffff:127.0.0.1]', '[::ffff:a00:1]'],
  ...['[64:ff9b::a00:1]', '[64:ff9b:1::1]', '[100::1]', '[2001::1]', '[2001:db8::1]', '[2002::1]'],
  ...['[fc00::1]', '[fd00:ec2::254]', '[fe80::1]', '[ff02::1]', '93.184.215.14'],
];

const LINK_LOCAL = ['169.254.169.254', '[fe80::1]', '[::ffff:169.254.169.254]', '[fd00:ec2::254]'];

/** Resolves every name to these, one after the other. */
function resolveTo(...answers: readonly (readonly string[])[]) {
  let calls = 0;
  const resolve = ((_: string, __: object, done: (...args: unknown[]) => void) => {
    const addresses = answers[Math.min(calls, answers.length - 1)] ?? [];
    calls += 1;
    done(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  }) as unknown as typeof lookup;
  return { resolve, countCalls: () => calls };
}

describe('the URL of a target', () => {
  test('has no address in whatever form, unless the operator allows it', () => {
    for (const address of ADDRESSES) {
      assert.notEqual(findTargetFault(`https://${address}/hook`, false), null, address);
    }
  });

  test('is never link-local, also where private addresses are allowed', () => {
    for (const address of LINK_LOCAL) {
      assert.notEqual(findTargetFault(`http://${address}/`, true), null, address);
    }
    for (const address of [
      '127.0.0.1:3000',
      '[::1]:3000',
      '10.1.2.3',
      '192.168.0.9',
      '[fd12::1]',
    ]) {
      assert.equal(findTargetFault(`http://${address}/`, true), null, address);
    }
  });

  test('is https to a public name on a usual port', () => {
    const wrong = [
      ...['http://example.com/', 'ftp://example.com/', 'https://u:p@example.com/', 'nothing'],
      ...['https://localhost/', 'https://localhost./', 'https://a.localhost/', 'https://intranet/'],
      ...['https://example.com:22/', 'https://example.com:6379/', 'javascript:alert(1)'],
    ];
    for (const url of wrong) assert.notEqual(findTargetFault(url, false), null, url);
    for (const url of ['https://example.com/a?b', 'https://example.com:8443/']) {
      assert.equal(findTargetFault(url, false), null, url);
    }
  });
});

describe('the addresses of a target', () => {
  test('are refused if one of them is not public', async () => {
    const cases = [['10.0.0.1'], ['93.184.215.14', '127.0.0.1'], ['::ffff:a00:1'], ['fe80::1'], []];
    for (const addresses of cases) {
      const lookUp = createTargetLookup(false, resolveTo(addresses).resolve);
      assert.equal(await findHostFault('https://example.com/', lookUp), 'must be a public host');
    }
    const lookUp = createTargetLookup(false, resolveTo(['93.184.215.14']).resolve);
    assert.equal(await findHostFault('https://example.com/', lookUp), null);
  });

  test('that were checked are those connected to, also if the name moves', async (t) => {
    let requests = 0;
    const server = createServer((_, response) => {
      requests += 1;
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.after(() => server.close());
    const { port } = server.address() as AddressInfo;
    // The second answer leads elsewhere: a check that resolves apart from the connection is fooled.
    const names = resolveTo(['127.0.0.1'], ['169.254.169.254']);
    const send = createSendDelivery({
      ...{ allowsPrivate: true, lookup: createTargetLookup(true, names.resolve) },
      ...{ timeoutMs: 60_000, nowMs: () => 0 },
    });
    const attempt = {
      ...{ url: `http://hook.example:${port}/`, headers: { 'webhook-id': '1' }, body: '{}' },
      signal: new AbortController().signal,
    };
    assert.equal((await send(attempt)).isDelivered, true);
    assert.equal(names.countCalls(), 1);
    // Each attempt is checked again.
    const refused = await send(attempt);
    assert.equal(refused.error, 'hook.example is not a public host');
    assert.equal(requests, 1);
  });

  test('of an attempt are checked although the URL was accepted before', async () => {
    const send = createSendDelivery({
      ...{ allowsPrivate: false, lookup: createTargetLookup(false) },
      ...{ timeoutMs: 60_000, nowMs: () => 0 },
    });
    const { signal } = new AbortController();
    const sent = await send({
      url: 'https://127.0.0.1/',
      headers: { 'webhook-id': '1' },
      body: '{}',
      signal,
    });
    assert.equal(sent.isDelivered, false);
    assert.match(sent.error ?? '', /not an address/);
  });
});
