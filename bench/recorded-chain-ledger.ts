// The balances on a chain that is being recorded, so that nobody sends what they do not have.

import { ZERO_ADDRESS } from '../src/chains/evm/data/zero-address.ts';
import { TRANSFER_TOPIC } from '../src/chains/evm/tokens/decode-transfer.ts';
import { type RecordedToken, toTopic, toWord } from './recorded-chain-contracts.ts';
import type { RecordedLog } from './recorded-chain-recorder.ts';

/** What every index of the chain must end with. */
export interface LedgerTotals {
  /** Balances above zero, over all tokens. */
  readonly balances: number;
  /** Their sum in raw units, as decimal text. */
  readonly sumRaw: string;
}

export class Ledger {
  readonly #balances = new Map<string, Map<string, bigint>>();

  balanceOf(token: RecordedToken, owner: string): bigint {
    return this.#balances.get(token.address)?.get(owner) ?? 0n;
  }

  /** Moves an amount and returns its log; the zero address mints. */
  transfer(
    token: RecordedToken,
    move: { readonly from: string; readonly to: string; readonly amountRaw: bigint },
  ): RecordedLog {
    this.move(token, move);
    return {
      address: token.address,
      topics: [TRANSFER_TOPIC, toTopic(move.from), toTopic(move.to)],
      data: `0x${toWord(move.amountRaw)}`,
    };
  }

  move(
    token: RecordedToken,
    move: { readonly from: string; readonly to: string; readonly amountRaw: bigint },
  ): void {
    const owners = this.#balances.get(token.address) ?? new Map<string, bigint>();
    this.#balances.set(token.address, owners);
    if (move.from === ZERO_ADDRESS) {
      token.supplyRaw += move.amountRaw;
    } else {
      const hadRaw = owners.get(move.from) ?? 0n;
      if (hadRaw < move.amountRaw) throw new Error(`${move.from} has not enough to send`);
      owners.set(move.from, hadRaw - move.amountRaw);
    }
    if (move.to !== ZERO_ADDRESS) owners.set(move.to, (owners.get(move.to) ?? 0n) + move.amountRaw);
  }

  computeTotals(): LedgerTotals {
    let balances = 0;
    let sumRaw = 0n;
    for (const owners of this.#balances.values()) {
      for (const amountRaw of owners.values()) {
        if (amountRaw > 0n) balances += 1;
        sumRaw += amountRaw;
      }
    }
    return { balances, sumRaw: sumRaw.toString() };
  }
}
