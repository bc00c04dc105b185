// Wallets of both standards tell of another account or chain, and stop when nobody listens.

import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { parseEvmWallet } from './evm-wallet.ts';
import { parseSolanaWallet } from './solana-wallet.ts';

test('a wallet of EVM chains is followed by its events until it is left', () => {
  const provider = Object.assign(new EventEmitter(), { request: async () => null });
  const info = { uuid: 'u', rdns: 'r', name: 'Test' };
  const wallet = parseEvmWallet({ info, provider }) ?? assert.fail();
  let heard = 0;
  const stop = wallet.watch(() => {
    heard += 1;
  });
  provider.emit('accountsChanged', []);
  provider.emit('chainChanged', '0x1');
  provider.emit('message');
  assert.equal(heard, 2);
  stop();
  assert.deepEqual(provider.eventNames(), []);
});

test('a wallet without events is a wallet', () => {
  const provider = { request: async () => null };
  const wallet = parseEvmWallet({ info: { uuid: 'u', rdns: 'r', name: 'Test' }, provider });
  wallet?.watch(assert.fail)();
  const features = Object.fromEntries(
    ['standard:connect', 'solana:signMessage', 'solana:signAndSendTransaction'].map((name) => [
      name,
      {},
    ]),
  );
  parseSolanaWallet({ name: 'Test', features })?.watch(assert.fail)();
});

test('a wallet of Solana is followed by its change event until it is left', async () => {
  const events = new EventEmitter();
  const account = { address: 'A', chains: ['solana:localnet'] };
  let accounts = [account];
  const features = {
    'standard:connect': { connect: async () => ({ accounts }) },
    'standard:events': {
      on: (name: string, listener: () => void) => {
        events.on(name, listener);
        return () => events.off(name, listener);
      },
    },
    'solana:signMessage': {},
    'solana:signAndSendTransaction': {},
  };
  const wallet = parseSolanaWallet({ name: 'Test', features }) ?? assert.fail();
  const seen: Promise<string>[] = [];
  const stop = wallet.watch(() => seen.push(wallet.readAddress('A')));
  accounts = [{ ...account, address: 'B' }];
  events.emit('change', { accounts });
  assert.deepEqual(await Promise.all(seen), ['B']);
  stop();
  assert.deepEqual(events.eventNames(), []);
});
