// Decodes ERC-20 transfers; wrapping and unwrapping of the native coin count as mint and burn.

import type { Address } from '../../../model/ids.ts';
import type { EvmDeployment } from '../data/deployments/evm-deployment.ts';
import type { DecodedEvent, EvmLog, LogDecoder } from '../data/evm-log.ts';
import { hasWords, toTopicAddress, uintAt } from '../data/hex-data.ts';
import { ZERO_ADDRESS } from '../data/zero-address.ts';

export const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
export const DEPOSIT_TOPIC = '0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c';
const WITHDRAWAL_TOPIC = '0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65';

/** The topics that may be of transfers; a chain has only some of them. */
export const TRANSFER_TOPICS = [TRANSFER_TOPIC, DEPOSIT_TOPIC, WITHDRAWAL_TOPIC] as const;

/** Contracts mint from the zero address and burn to it: nobody holds anything there. */
function toHolder(address: Address): Address | null {
  return address === ZERO_ADDRESS ? null : address;
}

/** ERC-721 uses the same topic with its token id as a fourth: those are not ours. */
function decodeTransfer(log: EvmLog, out: DecodedEvent[]): void {
  const { topics, data } = log;
  if (topics.length !== 3 || !hasWords(data, 1)) return;
  const from = toTopicAddress(topics[1]);
  const to = toTopicAddress(topics[2]);
  if (from === null || to === null) return;
  out.push({
    kind: 'transfer',
    token: log.address,
    from: toHolder(from),
    to: toHolder(to),
    amountRaw: uintAt(data, 0),
  });
}

function createWrapDecoder(wrapped: Address, direction: 'deposit' | 'withdrawal'): LogDecoder {
  return (log, out) => {
    if (log.address !== wrapped || log.topics.length !== 2 || !hasWords(log.data, 1)) return;
    const owner = toTopicAddress(log.topics[1]);
    if (owner === null) return;
    out.push({
      kind: 'transfer',
      token: wrapped,
      from: direction === 'deposit' ? null : toHolder(owner),
      to: direction === 'deposit' ? toHolder(owner) : null,
      amountRaw: uintAt(log.data, 0),
    });
  };
}

export function createTransferDecoders(deployment: EvmDeployment): ReadonlyMap<string, LogDecoder> {
  const decoders = new Map<string, LogDecoder>([[TRANSFER_TOPIC, decodeTransfer]]);
  if (!deployment.wrappedEmitsTransfers) {
    decoders.set(DEPOSIT_TOPIC, createWrapDecoder(deployment.wrapped, 'deposit'));
    decoders.set(WITHDRAWAL_TOPIC, createWrapDecoder(deployment.wrapped, 'withdrawal'));
  }
  return decoders;
}
