// Logs of Liquidity Book as viem encodes them.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type AbiEvent, encodeAbiParameters, encodeEventTopics, parseAbiItem } from 'viem';
import { address, transactionId } from '../../../../../test/test-ids.ts';
import type { Address } from '../../../../model/ids.ts';
import { toPoolId } from '../../data/evm-ids.ts';
import type { DecodedEvent, EvmLog } from '../../data/evm-log.ts';
import { EVM_DEPLOYMENTS } from '../deployments.ts';
import { createLogDecoding } from '../log-decoding.ts';
import { liquidityBook } from './liquidity-book.ts';

const ARBITRUM = EVM_DEPLOYMENTS['arbitrum'] ?? assert.fail();
const DECODING = createLogDecoding(ARBITRUM, [liquidityBook]);
const PAIR = address(`0x${'b'.repeat(40)}`);
const POOL = toPoolId(PAIR);
const WHO = `0x${'a'.repeat(40)}`;
const [X, Y] = [`0x${'1'.repeat(40)}`, `0x${'2'.repeat(40)}`];

const SWAP =
  'event Swap(address indexed sender, address indexed to, uint24 id, bytes32 amountsIn, bytes32 amountsOut, uint24 volatility, bytes32 totalFees, bytes32 protocolFees)';
const OLD_SWAP =
  'event Swap(address indexed sender, address indexed to, uint256 indexed id, bool swapForY, uint256 amountIn, uint256 amountOut, uint256 volatility, uint256 fees)';

function pack(x: bigint, y: bigint): string {
  return `0x${((y << 128n) + x).toString(16).padStart(64, '0')}`;
}

function encode(
  signature: string,
  args: Readonly<Record<string, unknown>>,
  at: { logIndex?: number; tx?: number; emitter?: Address } = {},
): EvmLog {
  const item = parseAbiItem(signature) as AbiEvent;
  const plain = item.inputs.filter(({ indexed }) => indexed !== true);
  const all: Readonly<Record<string, unknown>> = { sender: WHO, to: WHO, ...args };
  return {
    address: at.emitter ?? PAIR,
    topics: encodeEventTopics({ abi: [item], args: all } as never) as string[],
    data: encodeAbiParameters(plain, plain.map(({ name }) => all[name ?? '']) as never),
    ...{ block: 1, blockHash: `0x${'1'.repeat(64)}`, timestampMs: null },
    txHash: transactionId(`0x${String(at.tx ?? 7).repeat(64)}`),
    logIndex: at.logIndex ?? 3,
  };
}

function decode(...logs: readonly EvmLog[]): DecodedEvent[] {
  return DECODING.decode(logs).blocks.flatMap(({ events }) => events);
}

/** In a bin: what came in with and without the protocol's part, and what went out. */
function encodeBin(
  bin: { id: number; in: bigint; protocol: bigint; out: bigint; isXIn?: boolean },
  at: Parameters<typeof encode>[2],
): EvmLog {
  const { id, isXIn = true, protocol, out } = bin;
  const ofIn = (amount: bigint) => (isXIn ? pack(amount, 0n) : pack(0n, amount));
  const args = {
    ...{ id, volatility: id % 1000, amountsIn: ofIn(bin.in), protocolFees: ofIn(protocol) },
    ...{ amountsOut: isXIn ? pack(0n, out) : pack(out, 0n), totalFees: ofIn(9n * protocol) },
  };
  return encode(SWAP, args, at);
}

describe('a swap', () => {
  const first = { id: 8_388_610, in: 1000n, protocol: 3n, out: 900n };
  const second = { id: 8_388_608, in: 50n, protocol: 1n, out: 44n };

  it('over several bins is one trade, with what each bin gains and loses', () => {
    const events = decode(encodeBin(first, { logIndex: 4 }), encodeBin(second, { logIndex: 5 }));
    assert.deepEqual(events, [
      {
        ...{ kind: 'swap', txHash: `0x${'7'.repeat(64)}`, logIndex: 5, pool: POOL },
        ...{ amount0: 1054n, amount1: -944n },
        change: {
          ...{ poolKind: 'liquidityBook', type: 'swapped', volatility: 608 },
          bins: [
            { id: 8_388_610, x: 1000n, y: -900n },
            { id: 8_388_608, x: 50n, y: -44n },
          ],
        },
      },
    ]);
  });

  it('is another trade after other logs, in another transaction, direction or pair', () => {
    const next = [
      encodeBin(second, { logIndex: 6 }),
      encodeBin(second, { logIndex: 5, tx: 8 }),
      encodeBin({ ...second, isXIn: false }, { logIndex: 5 }),
      encodeBin(second, { logIndex: 5, emitter: address(WHO) }),
    ];
    for (const log of next) {
      const amounts = decode(encodeBin(first, { logIndex: 4 }), log).map((event) =>
        event.kind === 'swap' ? [event.amount0, event.amount1] : assert.fail(),
      );
      const isYIn = log === next[2];
      assert.deepEqual(amounts, [[1003n, -900n], isYIn ? [-44n, 51n] : [51n, -44n]]);
    }
  });

  it('of v2.0 has the fee beside the input', () => {
    const bin = {
      id: 5n,
      swapForY: false,
      amountIn: 70n,
      amountOut: 60n,
      volatility: 1n,
      fees: 2n,
    };
    const [event, ...others] = decode(
      encode(OLD_SWAP, bin, { logIndex: 1 }),
      encode(OLD_SWAP, { ...bin, id: 6n, amountOut: 61n }, { logIndex: 2 }),
    );
    assert.deepEqual(others, []);
    assert.ok(event?.kind === 'swap');
    assert.deepEqual([event.amount0, event.amount1, event.logIndex], [-121n, 144n, 2]);
    assert.equal(event.change?.poolKind, 'tradesOnly');
  });

  it('with both tokens on one side tells nothing', () => {
    const args = { id: 1, volatility: 0, totalFees: pack(0n, 0n), protocolFees: pack(0n, 0n) };
    const both = { ...args, amountsIn: pack(5n, 5n), amountsOut: pack(0n, 4n) };
    const back = { ...args, amountsIn: pack(5n, 0n), amountsOut: pack(4n, 0n) };
    assert.deepEqual(decode(encode(SWAP, both), encode(SWAP, back)), []);
  });
});

describe('what changes a pair', () => {
  const LISTS = '(address indexed sender, address indexed to, uint256[] ids, bytes32[] amounts)';
  const lists = { ids: [7n, 9n], amounts: [pack(3n, 4n), pack(0n, 6n)] };

  function assertChange(log: EvmLog, change: object): void {
    const whole = { poolKind: 'liquidityBook', ...change };
    assert.deepEqual(decode(log), [{ kind: 'poolChanged', pool: POOL, change: whole }]);
    assert.deepEqual(decode({ ...log, data: log.data.slice(0, -2) }), []);
    assert.deepEqual(decode({ ...log, data: `${log.data}${'0'.repeat(64)}` }), []);
    assert.deepEqual(decode({ ...log, topics: log.topics.slice(0, -1) }), []);
  }

  it('is a deposit, a withdrawal, a flash loan', () => {
    const bins = [
      { id: 7, x: 3n, y: 4n },
      { id: 9, x: 0n, y: 6n },
    ];
    assertChange(encode(`event DepositedToBins${LISTS}`, lists), { type: 'moved', bins });
    const taken = bins.map(({ id, x, y }) => ({ id, x: -x, y: -y }));
    assertChange(encode(`event WithdrawnFromBins${LISTS}`, lists), { type: 'moved', bins: taken });
    const loan = encode(
      'event FlashLoan(address indexed sender, address indexed to, uint24 id, bytes32 amounts, bytes32 totalFees, bytes32 protocolFees)',
      { id: 7, amounts: pack(99n, 0n), totalFees: pack(5n, 2n), protocolFees: pack(1n, 2n) },
    );
    assertChange(loan, { type: 'moved', bins: [{ id: 7, x: 4n, y: 0n }] });
  });

  it('is a fee of composition, a decay, other parameters, a hook', () => {
    const fees = { id: 7, totalFees: pack(5n, 0n), protocolFees: pack(1n, 0n) };
    assertChange(
      encode(
        'event CompositionFees(address indexed sender, uint24 id, bytes32 totalFees, bytes32 protocolFees)',
        fees,
      ),
      { type: 'composed', id: 7 },
    );
    const decay = { idReference: 3, volatilityReference: 4 };
    assertChange(
      encode(
        'event ForcedDecay(address indexed sender, uint24 idReference, uint24 volatilityReference)',
        decay,
      ),
      { type: 'decayed' },
    );
    const set = {
      ...{ baseFactor: 1, filterSeconds: 2, decaySeconds: 3, reduction: 4 },
      ...{ control: 5, protocolShare: 6, volatilityMax: 7 },
    };
    assertChange(
      encode(
        'event StaticFeeParametersSet(address indexed sender, uint16 baseFactor, uint16 filterSeconds, uint16 decaySeconds, uint16 reduction, uint24 control, uint16 protocolShare, uint24 volatilityMax)',
        set,
      ),
      { type: 'parameters', set },
    );
    for (const [bit, isCalled] of [
      [160n, true],
      [161n, true],
      [164n, false],
    ] as const) {
      const hooks = pack(0n, 1n << (bit - 128n));
      const log = encode('event HooksParametersSet(address indexed sender, bytes32 hooks)', {
        hooks,
      });
      assertChange(log, { type: 'hooks', isCalled });
    }
  });

  it('is its creation by a known factory, which does not tell where it begins', () => {
    const created =
      'event LBPairCreated(address indexed x, address indexed y, uint256 indexed step, address pair, uint256 count)';
    const args = { x: X, y: Y, step: 25n, pair: PAIR, count: 1n };
    const list = ARBITRUM.liquidityBook ?? [];
    const events = list.flatMap(({ factory }) =>
      decode(encode(created, args, { emitter: factory })),
    );
    const place = { token0: X, token1: Y, pool: POOL, vault: PAIR, feePips: 0 };
    assert.deepEqual(
      events,
      list.map(({ venue }) =>
        venue === 'lfj-v2'
          ? {
              ...{ kind: 'poolCreated', complete: true },
              description: { ...place, venue, kind: 'tradesOnly', terms: null },
            }
          : {
              ...{ kind: 'poolCreated', complete: false, isBirth: true },
              description: { ...place, venue, kind: 'liquidityBook', terms: { binStep: 25 } },
            },
      ),
    );
    assert.deepEqual(decode(encode(created, args)), []);
  });
});
