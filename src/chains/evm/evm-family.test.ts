// EVM names have one stored form and one shown form.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { address, poolId } from '../../../test/test-ids.ts';
import { BUILT_IN_CHAINS } from '../../model/chain.ts';
import { EVM_FAMILY } from './evm-family.ts';

const SHOWN = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const STORED = SHOWN.toLowerCase();
const WORD = `0x${'aB'.repeat(32)}`;

describe('addresses', () => {
  const { addresses } = EVM_FAMILY;

  it('are taken in any case, stored in lower case and shown with a checksum', () => {
    for (const text of [SHOWN, STORED, `0x${SHOWN.slice(2).toUpperCase()}`]) {
      assert.equal(addresses.parse(text), STORED);
      assert.equal(addresses.parsePool(text), STORED);
    }
    assert.equal(addresses.toShown(address(STORED)), SHOWN);
  });

  it('are 20 bytes; a pool may have 32', () => {
    for (const text of ['', '0x', STORED.slice(2), `${STORED}0`, `${STORED} `, WORD]) {
      assert.equal(addresses.parse(text), null);
    }
    assert.equal(addresses.parsePool(WORD), WORD.toLowerCase());
    assert.equal(addresses.toShown(poolId(WORD.toLowerCase())), WORD.toLowerCase());
    assert.equal(addresses.parsePool(`${WORD}0`), null);
  });

  it('have an id for the native coin', () => {
    assert.equal(addresses.parse(addresses.native), addresses.native);
  });
});

describe('routers', () => {
  it("of Uniswap's pairs are the Universal Router and, for given outputs alone, their own", () => {
    const source = { chain: 'ethereum', endpoints: [], devnet: null } as const;
    const rest = { startBlock: null, instance: null };
    const market = EVM_FAMILY.markets?.describe({ ...source, ...rest });
    const { routers = [] } = market ?? assert.fail();
    const found = routers.filter(({ venues }) => venues.has('uniswap-v2'));
    assert.deepEqual(
      found.map(({ name, outputCall, onlyOutputs }) => [name, outputCall, onlyOutputs]),
      [
        ['universal', 'commands', false],
        ['uniswap-v2', 'exactPath', true],
      ],
    );
    const forks = routers.filter(({ name }) => name === 'sushiswap-v2');
    assert.deepEqual(
      forks.map((one) => one.onlyOutputs),
      [false],
    );
  });
});

describe('transaction ids', () => {
  it('are 32 bytes, stored in lower case', () => {
    const { transactionIds } = EVM_FAMILY;
    assert.equal(transactionIds.parse(WORD), WORD.toLowerCase());
    for (const text of ['', STORED, WORD.slice(2), `${WORD}0`]) {
      assert.equal(transactionIds.parse(text), null);
    }
  });
});

describe('explorers', () => {
  it('have pages about tokens; the devnet has none', () => {
    const token = address(STORED);
    const page = `https://basescan.org/token/${SHOWN}`;
    assert.equal(EVM_FAMILY.findTokenPage(BUILT_IN_CHAINS.base, token), page);
    assert.equal(EVM_FAMILY.findTokenPage(BUILT_IN_CHAINS.devnet, token), null);
  });
});

describe('markets', () => {
  const source = { endpoints: [], devnet: null, startBlock: null, instance: null };

  it('are described without asking a node', () => {
    const described = EVM_FAMILY.markets?.describe({ ...source, chain: 'base' });
    const { assets, wrapped, venues, tradedVenues, onChainVenues, costs } =
      described ?? assert.fail();
    assert.deepEqual(assets.native, new Set([wrapped, assets.coin]));
    assert.equal(assets.coin, EVM_FAMILY.addresses.native);
    assert.ok(venues.includes('pancakeswap-v3') && tradedVenues.has('pancakeswap-v3'));
    assert.ok(venues.includes('dodo-v2') && !tradedVenues.has('dodo-v2'));
    assert.ok(tradedVenues.has('curve') && onChainVenues?.has('curve'));
    assert.ok([...tradedVenues].every((venue) => venues.includes(venue)));
    assert.equal(costs.hasDataFees, true);
  });

  it('are rejected if no contracts are known', () => {
    const describeSolana = () => EVM_FAMILY.markets?.describe({ ...source, chain: 'solana' });
    assert.throws(describeSolana, /no contracts are known for solana/);
  });
});
