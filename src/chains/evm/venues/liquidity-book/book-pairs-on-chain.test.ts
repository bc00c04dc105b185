// Random swaps in a stand-in of Liquidity Book's pairs (test/contracts/liquidity-book.sol): what
// our decoders read of their logs is what our maths computes, to the unit, at the block's time.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Abi, Hex } from 'viem';
import {
  BOOK_FACTORY_ABI,
  BOOK_PAIR_ABI,
  packBin,
  toBookFee,
} from '../../../../../test/book-abi.ts';
import {
  BOOK_ID,
  BOOK_PARAMETERS,
  BOOK_STEP,
  type BookOnChain,
  runBook,
} from '../../../../../test/book-swaps.ts';
import { CODE } from '../../../../../test/contracts/book-factory-stand-in.gen.ts';
import { decodeAddressAt, uintAt } from '../../data/hex-data.ts';
import { EVM_DEPLOYMENTS } from '../deployments.ts';

const PAIR_ABI: Abi = BOOK_PAIR_ABI;
const GAS = 12_000_000n;

const STAND_IN: BookOnChain = {
  venue: 'lfj-v2-2',
  async open(chain, [x, y]) {
    const factory = chain.create({ abi: BOOK_FACTORY_ABI, bytecode: CODE as Hex });
    const call = { to: factory, abi: BOOK_FACTORY_ABI, functionName: 'createLBPair' };
    chain.call({ ...call, args: [x, y, BOOK_ID, BOOK_STEP, toBookFee(BOOK_PARAMETERS)] }, GAS);
    const logs = await chain.mine();
    const created = logs.find(({ address }) => address === factory);
    return { factory, pair: decodeAddressAt(created?.data ?? assert.fail('no pair'), 0) };
  },
  deposit(chain, pair, bins) {
    const args = [bins.map(({ id }) => BigInt(id)), bins.map(packBin)];
    chain.call({ to: pair, abi: PAIR_ABI, functionName: 'deposit', args }, GAS);
  },
  async withdraw(chain, pair, id) {
    const data = `0x0abe9688${id.toString(16).padStart(64, '0')}`;
    const [answer] = await chain.callContracts([{ to: pair, data }]);
    const bin = answer ?? assert.fail('the pair does not answer');
    const [x, y] = [uintAt(bin, 0) / 3n, uintAt(bin, 1) / 3n];
    const args = [[BigInt(id)], [packBin({ x, y })]];
    chain.call({ to: pair, abi: PAIR_ABI, functionName: 'withdraw', args });
  },
  decay(chain, { pair }) {
    chain.call({ to: pair, abi: PAIR_ABI, functionName: 'forceDecay', args: [] });
  },
  setParameters(chain, { pair }, parameters) {
    const args = [toBookFee(parameters)];
    chain.call({ to: pair, abi: PAIR_ABI, functionName: 'setParameters', args });
  },
};

it('300 random swaps pay what is computed, at several times of blocks', async (t) => {
  const deployment = EVM_DEPLOYMENTS['arbitrum'] ?? assert.fail();
  const tally = await runBook(STAND_IN, { seed: 31, deployment });
  t.diagnostic(JSON.stringify(tally));
  assert.ok(tally.swaps >= 300 && tally.crossed > 100 && tally.changes > 20);
  assert.ok(tally.feesMax > 2 * tally.feesMin, 'the fee moves');
});
