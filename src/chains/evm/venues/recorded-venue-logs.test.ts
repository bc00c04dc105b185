// Real logs of six chains: every swap of a V2-like or V3-like pool has the recorded amounts.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { address, transactionId } from '../../../../test/test-ids.ts';
import { readVenueFixture, skipWithoutVenues as skip } from '../../../../test/venue-fixtures.ts';
import type { EvmLog } from '../data/evm-log.ts';
import { EVM_DEPLOYMENTS } from '../venues/deployments.ts';
import { createLogDecoding } from './log-decoding.ts';

interface Recording {
  readonly chain: keyof typeof EVM_DEPLOYMENTS;
  readonly logs: readonly {
    readonly address: string;
    readonly topics: readonly string[];
    readonly data: string;
    readonly blockNumber: string;
    readonly transactionHash: string;
    readonly logIndex: string;
  }[];
  readonly expected: readonly {
    readonly transactionHash: string;
    readonly logIndex: string;
    readonly kind: string;
    readonly pool: string;
    readonly amount0?: string;
    readonly amount1?: string;
    /** Curve. */
    readonly soldId?: number;
    readonly boughtId?: number;
    readonly tokensSold?: string;
    readonly tokensBought?: string;
    /** Balancer. */
    readonly poolId?: string;
    readonly tokenIn?: string;
    readonly tokenOut?: string;
    readonly amountIn?: string;
    readonly amountOut?: string;
  }[];
}

const FILES = [
  ...['arbitrum-rss3-zerion', 'base-aerodrome-v2', 'base-rss3-zerion', 'bsc-pancake-v3'],
  ...['bsc-rss3-zerion', 'ethereum-15000000', 'ethereum-18100000', 'ethereum-18999999'],
  ...['ethereum-19999999', 'ethereum-curve', 'ethereum-rss3-curve'],
  ...['optimism-rss3-zerion', 'polygon-rss3-zerion'],
];

/** What came in is positive; the token of the lower address or index is first. */
function listAmounts(one: Recording['expected'][number]): readonly (string | undefined)[] {
  if (one.kind === 'curve') {
    const [sold, bought] = [one.tokensSold, `-${one.tokensBought}`];
    return (one.soldId ?? 0) < (one.boughtId ?? 0) ? [sold, bought] : [bought, sold];
  }
  if (one.kind !== 'balancer-v2') return [one.amount0, one.amount1];
  const [paid, received] = [one.amountIn, `-${one.amountOut}`];
  return (one.tokenIn ?? '') < (one.tokenOut ?? '') ? [paid, received] : [received, paid];
}

/** Of a pool's own share, whose address begins the pool's id. */
function isShareSwap({ poolId = '', tokenIn, tokenOut }: Recording['expected'][number]): boolean {
  return [tokenIn, tokenOut].some((token) => token !== undefined && poolId.startsWith(token));
}

function toLog(log: Recording['logs'][number]): EvmLog {
  return {
    address: address(log.address),
    ...{ topics: log.topics, data: log.data, block: Number(log.blockNumber) },
    txHash: transactionId(log.transactionHash),
    ...{ logIndex: Number(log.logIndex), blockHash: '0x', timestampMs: null },
  };
}

describe('recorded logs', { skip }, () => {
  for (const file of FILES) {
    it(`of ${file} have the recorded swaps`, () => {
      const { chain, logs, expected } = readVenueFixture(`recordings/${file}.json`) as Recording;
      const decoding = createLogDecoding(EVM_DEPLOYMENTS[chain] ?? assert.fail());
      const { blocks } = decoding.decode(logs.map(toLog));
      const events = blocks.flatMap((block) => block.events);
      const swaps = events.flatMap((event) =>
        event.kind === 'swap'
          ? [`${event.txHash} ${event.logIndex} ${event.amount0} ${event.amount1}`]
          : [],
      );
      const wanted = expected
        .filter((one) => !isShareSwap(one))
        .map(
          (one) => `${one.transactionHash} ${Number(one.logIndex)} ${listAmounts(one).join(' ')}`,
        );
      assert.ok(wanted.length > 0);
      assert.deepEqual(swaps.sort(), wanted.sort());
    });
  }
});
