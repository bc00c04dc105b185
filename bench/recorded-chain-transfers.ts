// A chain of plain ERC-20 transfers: a few tokens, some thousands of owners, no exchange.

import { createSeededRandom, type SeededRandom } from '../devnet/random.ts';
import { ZERO_ADDRESS } from '../src/chains/evm/data/zero-address.ts';
import type { Address } from '../src/model/ids.ts';
import {
  buildRecordedAddress,
  CHAIN_ID,
  type RecordedToken,
  toWord,
} from './recorded-chain-contracts.ts';
import { Ledger, type LedgerTotals } from './recorded-chain-ledger.ts';
import {
  ChainRecorder,
  type ChainRecording,
  type RecordedTransaction,
} from './recorded-chain-recorder.ts';

export interface TransferChainOptions {
  readonly events: number;
  /** On average: blocks have up to two fifths more or fewer. */
  readonly eventsPerBlock: number;
  readonly blockTimestamps: boolean;
}

export interface RecordedMarket {
  readonly recording: ChainRecording;
  readonly tokens: readonly RecordedToken[];
  readonly totals: LedgerTotals;
}

/** Empty blocks at the end: more than any indexer in the comparison considers unfinalized. */
export const TAIL_BLOCKS = 64;

const TOKEN_COUNT = 5;
const OWNER_COUNT = 4000;
const MINT_SHARE = 0.02;
const WHOLE_BALANCE_SHARE = 0.03;
const TRANSFER_SELECTOR = '0xa9059cbb';

interface Scene {
  readonly random: SeededRandom;
  readonly ledger: Ledger;
  readonly owners: readonly Address[];
  /** Owners who were ever given something, by token. */
  readonly receivers: ReadonlyMap<RecordedToken, Address[]>;
}

/** Few owners are in most transfers, as everywhere. */
function pickOwner(scene: Scene): Address {
  const skewed = scene.random.next() ** 2;
  return scene.owners[Math.floor(skewed * scene.owners.length)]!;
}

function buildTransfer(scene: Scene, token: RecordedToken): RecordedTransaction {
  const { random, ledger } = scene;
  const receivers = scene.receivers.get(token)!;
  const to = pickOwner(scene);
  let from = ZERO_ADDRESS;
  if (receivers.length > 0 && !random.chance(MINT_SHARE)) from = random.pick(receivers);
  const hadRaw = ledger.balanceOf(token, from);
  if (hadRaw < 1000n) from = ZERO_ADDRESS;
  const unit = 10n ** BigInt(token.decimals);
  const share = BigInt(1 + random.below(200));
  const partRaw = random.chance(WHOLE_BALANCE_SHARE) ? hadRaw : (hadRaw * share) / 1000n;
  const amountRaw = from === ZERO_ADDRESS ? BigInt(1 + random.below(1_000_000)) * unit : partRaw;
  receivers.push(to);
  return {
    from: from === ZERO_ADDRESS ? buildRecordedAddress('a0', 0) : from,
    to: token.address,
    input: `${TRANSFER_SELECTOR}${toWord(to)}${toWord(amountRaw)}`,
    logs: [ledger.transfer(token, { from, to, amountRaw })],
  };
}

/** Varied, because real blocks differ, and nodes' limits are round numbers. */
function pickEventCount(random: SeededRandom, average: number): number {
  const swing = Math.floor((average * 2) / 5);
  return average - swing + random.below(2 * swing + 1);
}

export function recordTransferChain(options: TransferChainOptions): RecordedMarket {
  const recorder = new ChainRecorder({
    chainId: CHAIN_ID,
    blockTimeS: 2,
    blockTimestamps: options.blockTimestamps,
  });
  const tokens = Array.from({ length: TOKEN_COUNT }, (_, index) => ({
    address: buildRecordedAddress('70', index + 1),
    symbol: `TK${index + 1}`,
    decimals: index % 2 === 0 ? 18 : 6,
    supplyRaw: 0n,
  }));
  const scene: Scene = {
    random: createSeededRandom('recorded transfers'),
    ledger: new Ledger(),
    owners: Array.from({ length: OWNER_COUNT }, (_, index) =>
      buildRecordedAddress('b0b0', index + 1),
    ),
    receivers: new Map(tokens.map((token) => [token, []])),
  };
  let left = options.events;
  let block = 0;
  while (left > 0) {
    const count = Math.min(left, pickEventCount(scene.random, options.eventsPerBlock));
    recorder.addBlock(
      Array.from({ length: count }, () => buildTransfer(scene, scene.random.pick(tokens))),
    );
    left -= count;
    block += 1;
  }
  for (let empty = 0; empty < TAIL_BLOCKS; empty += 1) recorder.addBlock([]);
  return { recording: recorder.finish(block), tokens, totals: scene.ledger.computeTotals() };
}
