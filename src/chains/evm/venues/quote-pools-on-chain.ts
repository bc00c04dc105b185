// Asks pools whose swaps only their contract computes what they pay, in one request.

import type { OnChainQuery, OnChainQuote } from '../../chain-nodes.ts';
import type { EvmDeployment } from '../data/deployments/evm-deployment.ts';
import type { CallContracts } from '../rpc/multicall.ts';
import { VENUE_PROTOCOLS } from './registry.ts';

/** Those that a contract answers are the quote; nulls where no way is known or none is answered. */
export async function quotePoolsOnChain(
  { swaps, amounts }: Pick<OnChainQuery, 'swaps' | 'amounts'>,
  { deployment, call }: { readonly deployment: EvmDeployment; readonly call: CallContracts },
): Promise<OnChainQuote[]> {
  const asked = swaps.map((swap) =>
    VENUE_PROTOCOLS.flatMap(({ listAsks }) => listAsks?.(swap, deployment) ?? []),
  );
  const calls = asked.flatMap((asks) => asks.flatMap(({ encode }) => amounts.map(encode)));
  const answers = await call(calls);
  let next = 0;
  return asked.map((asks) => {
    const quotes = asks.map(({ isStable, decode }): OnChainQuote => {
      const own = answers.slice(next, next + amounts.length);
      next += amounts.length;
      const amountsOut = amounts.map((amountIn, index) => {
        const answer = own[index] ?? null;
        return answer === null ? null : decode(answer, amountIn);
      });
      return { amountsOut, isStable };
    });
    const answered = quotes.find(({ amountsOut }) => amountsOut.some((one) => one !== null));
    return answered ?? { amountsOut: amounts.map(() => null), isStable: null };
  });
}
