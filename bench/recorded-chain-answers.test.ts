// The recorded chain must pass the same checks as a node.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseReceipts } from '../src/chains/evm/blocks/parse-receipts.ts';
import { judgeLogs, parseBloom } from '../src/chains/evm/data/logs-bloom.ts';
import { parseBlock } from '../src/chains/evm/data/parse-block.ts';
import { parseLogs } from '../src/chains/evm/data/parse-logs.ts';
import { TRANSFER_TOPIC } from '../src/chains/evm/tokens/decode-transfer.ts';
import { SWAP_TOPIC } from '../src/chains/evm/venues/uniswap-v2/decode-uniswap-v2.ts';
import { RecordedAnswers } from './recorded-chain-answers.ts';
import { createContractCalls, toTopic } from './recorded-chain-contracts.ts';
import { recordSwapChain } from './recorded-chain-swaps.ts';
import { recordTransferChain } from './recorded-chain-transfers.ts';

function createAsk(market: ReturnType<typeof recordSwapChain>) {
  const answers = new RecordedAnswers(market.recording, createContractCalls(market.tokens));
  return (method: string, ...params: unknown[]) =>
    JSON.parse(Buffer.concat(answers.answer({ id: 1, method, params })).toString());
}

const swaps = recordSwapChain({ swaps: 300, swapsPerBlock: 7, blockTimestamps: true });
const ask = createAsk(swaps);
const { head } = swaps.recording;
const everything = { fromBlock: '0x0', toBlock: 'latest' };
const range = { fromBlock: 0, toBlock: head, endpoint: 'recorded' };

describe('recorded chain', () => {
  test('blocks link by hash and their blooms hold exactly their logs', () => {
    const logs = parseLogs(ask('eth_getLogs', everything), range);
    let parentHash = `0x${'0'.repeat(64)}`;
    for (let number = 0; number <= head; number += 1) {
      const block = parseBlock(
        ask('eth_getBlockByNumber', `0x${number.toString(16)}`, true),
        'recorded',
      );
      assert.equal(block?.header.parentHash, parentHash);
      const own = logs.filter((log) => log.block === number);
      assert.equal(judgeLogs(own, parseBloom(block?.logsBloom ?? '0x')), 'complete');
      for (const log of own) assert.ok(block?.senders.has(log.txHash));
      parentHash = block?.header.hash ?? '';
    }
  });

  test('filters by topic, contract, position and block give what a scan gives', () => {
    const all = parseLogs(ask('eth_getLogs', everything), range);
    const [first] = all.filter(({ topics }) => topics[0] === SWAP_TOPIC);
    assert.ok(first);
    const cases = [
      {
        filter: { topics: [SWAP_TOPIC] },
        keep: (log: typeof first) => log.topics[0] === SWAP_TOPIC,
      },
      {
        filter: { address: [first.address] },
        keep: (log: typeof first) => log.address === first.address,
      },
      {
        filter: { topics: [[TRANSFER_TOPIC], null, first.topics[2]] },
        keep: (log: typeof first) =>
          log.topics[0] === TRANSFER_TOPIC && log.topics[2] === first.topics[2],
      },
      { filter: { topics: [toTopic('0x00')] }, keep: () => false },
    ];
    for (const { filter, keep } of cases) {
      const found = parseLogs(ask('eth_getLogs', { ...everything, ...filter }), range);
      assert.deepEqual(found, all.filter(keep));
    }
    const ofBlock = parseLogs(ask('eth_getLogs', { blockHash: first.blockHash }), range);
    assert.deepEqual(
      ofBlock,
      all.filter((log) => log.block === first.block),
    );
  });

  test('receipts have the same logs and senders as blocks', () => {
    const tag = `0x${(swaps.recording.finalized - 3).toString(16)}`;
    const receipts = parseReceipts(ask('eth_getBlockReceipts', tag), range);
    const block = parseBlock(ask('eth_getBlockByNumber', tag, true), 'recorded');
    assert.deepEqual(receipts.senders, block?.senders);
    const logs = parseLogs(ask('eth_getLogs', { fromBlock: tag, toBlock: tag }), range);
    assert.deepEqual(receipts.logs, logs);
  });

  test('two recordings are the same, and a shorter one is the beginning of a longer', () => {
    const record = (events: number) =>
      recordTransferChain({ events, eventsPerBlock: 5, blockTimestamps: true }).recording;
    const long = record(500);
    assert.deepEqual(record(500).logs.bytes, long.logs.bytes);
    const { bytes } = record(200).logs;
    assert.deepEqual(bytes.subarray(0, 50_000), long.logs.bytes.subarray(0, 50_000));
  });
});
