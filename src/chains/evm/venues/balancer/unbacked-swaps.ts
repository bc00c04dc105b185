// Swaps of Balancer V2 that moved nothing. Anybody can register a pool that swaps at any price, and
// go there and back in one batch: the vault logs swaps of any size, and nets them to no transfer.
//
// What a trade is valued at must have moved: the wrapped coin or the stable asset, or both tokens
// where neither is one. What the vault gained or lost of a token in a transaction backs its swaps
// in their order, each unit once. So hops through such an asset within a batch are left out, too,
// as are swaps between balances in the vault: they look the same.

import type { Address, TransactionId } from '../../../../model/ids.ts';
import { type EvmDeployment, toChainAssets } from '../../data/deployments/evm-deployment.ts';
import type { DecodedEvent, EvmLog } from '../../data/evm-log.ts';
import { hasWords, toTopicAddress, uintAt } from '../../data/hex-data.ts';
import { createTransferDecoders } from '../../tokens/decode-transfer.ts';
import { type FindUnbacked, NONE_UNBACKED, toPlaceKey } from '../unbacked-swaps.ts';
import { BALANCER_SWAP_TOPICS } from './decode-vault-logs.ts';

/** What the vaults gained of tokens by transaction; below zero what they lost. */
class VaultGains {
  readonly #gains = new Map<string, bigint>();

  add(txHash: TransactionId, at: { vault: Address; token: Address }, amount: bigint): void {
    const key = `${txHash} ${at.vault} ${at.token}`;
    this.#gains.set(key, (this.#gains.get(key) ?? 0n) + amount);
  }

  /** Whether as much was gained, or lost if the amount is below zero. */
  has(txHash: TransactionId, at: { vault: Address; token: Address }, amount: bigint): boolean {
    const gain = this.#gains.get(`${txHash} ${at.vault} ${at.token}`) ?? 0n;
    return amount < 0n ? gain <= amount : gain >= amount;
  }
}

export function createUnbackedFinder(deployment: EvmDeployment): FindUnbacked {
  const { native, stable } = toChainAssets(deployment);
  const isQuote = (token: Address) => native.has(token) || stable.has(token);
  const decoders = createTransferDecoders(deployment);
  const vaults = new Set(
    deployment.balancer?.flatMap(({ vault, version }) => (version === 2 ? [vault] : [])),
  );
  const readGains = (logs: readonly EvmLog[], hashes: ReadonlySet<TransactionId>) => {
    const gains = new VaultGains();
    for (const log of logs) {
      const { txHash } = log;
      if (!hashes.has(txHash)) continue;
      const events: DecodedEvent[] = [];
      decoders.get(log.topics[0] ?? '')?.(log, events);
      for (const event of events) {
        if (event.kind !== 'transfer') continue;
        const { token, from, to, amountRaw } = event;
        if (to !== null && vaults.has(to)) gains.add(txHash, { vault: to, token }, amountRaw);
        if (from !== null && vaults.has(from)) {
          gains.add(txHash, { vault: from, token }, -amountRaw);
        }
      }
    }
    return gains;
  };
  return (logs) => {
    if (vaults.size === 0) return NONE_UNBACKED;
    const swaps = logs.filter(
      ({ address, topics }) => topics[0] === BALANCER_SWAP_TOPICS[2] && vaults.has(address),
    );
    if (swaps.length === 0) return NONE_UNBACKED;
    const gains = readGains(logs, new Set(swaps.map(({ txHash }) => txHash)));
    const unbacked = new Set<string>();
    for (const log of swaps) {
      const { address: vault, txHash, topics, data } = log;
      const [tokenIn, tokenOut] = [toTopicAddress(topics[2]), toTopicAddress(topics[3])];
      if (tokenIn === null || tokenOut === null || !hasWords(data, 2)) continue;
      const sides = [
        { token: tokenIn, amount: uintAt(data, 0) },
        { token: tokenOut, amount: -uintAt(data, 1) },
      ];
      const valued = sides.filter(({ token }) => isQuote(token));
      const needed = valued.length > 0 ? valued : sides;
      if (needed.every(({ token, amount }) => gains.has(txHash, { vault, token }, amount))) {
        for (const { token, amount } of needed) gains.add(txHash, { vault, token }, -amount);
      } else unbacked.add(toPlaceKey(log));
    }
    return unbacked;
  };
}
