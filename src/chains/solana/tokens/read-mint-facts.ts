// What a mint shows of itself: who may mint, freeze, pause or take, and what transfers cost.

import { AMOUNT_U64_MAX } from '../../../amm/amount-u64.ts';
import type { TransferFee } from '../../../amm/transfer-fee.ts';
import type { MintFacts } from '../../../model/contract-facts.ts';
import type { Address } from '../../../model/ids.ts';
import { isRpcError } from '../../rpc/rpc-error.ts';
import { AccountBytes } from '../data/account-bytes.ts';
import { TOKEN_2022_PROGRAM } from '../data/solana-ids.ts';
import { readAccounts } from '../rpc/read-accounts.ts';
import { CONFIRMED, type SolanaNode } from '../rpc/solana-node.ts';
import { readAuthorities } from './mint-authorities.ts';
import { EXTENSION, findExtension, isMintPaused, STATE_FROZEN } from './mint-extensions.ts';
import { EPOCH_ACCOUNTS, readFeeTerms } from './mint-fees.ts';
import { isMint } from './read-mints.ts';

const SUPPLY = 36;
const TOP_COUNT = 10;
const PCT_DIGITS = 6;

/** Null if the node does not answer that, which many do not. */
async function readLargestPct(
  node: SolanaNode,
  { mint, supplyRaw }: { readonly mint: Address; readonly supplyRaw: bigint },
  signal?: AbortSignal,
): Promise<number | null> {
  if (supplyRaw === 0n) return null;
  try {
    const call = { method: 'getTokenLargestAccounts', params: [mint, CONFIRMED] };
    const reply = (await node.request(call, signal)) as { readonly value?: unknown } | null;
    if (!Array.isArray(reply?.value)) return null;
    const amounts = reply.value.map((row) => {
      const amount: unknown = (row as { readonly amount?: unknown } | null)?.amount;
      return typeof amount === 'string' && /^\d{1,20}$/.test(amount) ? BigInt(amount) : null;
    });
    if (amounts.some((amount) => amount === null || amount > AMOUNT_U64_MAX)) return null;
    const known = (amounts as bigint[]).toSorted((a, b) => (a < b ? 1 : -1));
    const sum = known.slice(0, TOP_COUNT).reduce((total, amount) => total + amount, 0n);
    return Number(((Number(sum) / Number(supplyRaw)) * 100).toFixed(PCT_DIGITS));
  } catch (error) {
    if (isRpcError(error)) return null;
    throw error;
  }
}

/** Null if there is no mint at the address. */
export async function readMintFacts(
  node: SolanaNode,
  mint: Address,
  signal?: AbortSignal,
): Promise<MintFacts | null> {
  const query = { addresses: [mint, ...EPOCH_ACCOUNTS], minSlot: 0 };
  const { slot, accounts } = await readAccounts(node, query, signal);
  const account = accounts.get(mint);
  if (!isMint(account)) return null;
  const data = new AccountBytes(account.data);
  const find = (type: number) => findExtension(account.data, type);
  const terms = readFeeTerms(accounts, account);
  const toFee = (fee: TransferFee | null) => fee && { bps: fee.bps, maxRaw: fee.maxRaw };
  return {
    ...{ kind: 'mint', slot },
    program: account.owner === TOKEN_2022_PROGRAM ? 'token-2022' : 'spl-token',
    ...readAuthorities(account.data),
    transferFee: toFee(terms.now),
    nextTransferFee: terms.next,
    isDefaultFrozen: find(EXTENSION.defaultState)?.[0] === STATE_FROZEN,
    isPaused: isMintPaused(account.data),
    isTransferable: find(EXTENSION.nonTransferable) === null,
    largestPct: await readLargestPct(node, { mint, supplyRaw: data.u64(SUPPLY) }, signal),
  };
}
