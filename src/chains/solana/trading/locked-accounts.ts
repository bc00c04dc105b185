// The accounts that swaps in a pool lock for writing: what a transaction must pay to be executed
// soon depends on who else writes to them.

import type { Address } from '../../../model/ids.ts';
import type { PoolDescription } from '../../../model/pool.ts';
import type { TradeSwap } from '../../chain-transactions.ts';
import { AccountBytes } from '../data/account-bytes.ts';
import { asWritable, type InstructionAccount } from '../data/program-instruction.ts';
import { SYSTEM_PROGRAM, TOKEN_PROGRAM, toSolanaAddress, WRAPPED_SOL } from '../data/solana-ids.ts';
import { findHeldAccount } from '../data/token-instructions.ts';
import { readAccounts, type SolanaAccounts } from '../rpc/read-accounts.ts';
import type { SolanaNode } from '../rpc/solana-node.ts';
import { SWAP_ENCODERS } from '../venues/solana-venues.ts';
import { listPlanAccounts, listSettings } from './plan-instructions.ts';

/** Any two: what only one of them writes to is its own. */
const USERS = [SYSTEM_PROGRAM, TOKEN_PROGRAM] as const;

function toMint(token: Address): Address {
  return token === SYSTEM_PROGRAM ? WRAPPED_SOL : token;
}

function listUses(
  swap: TradeSwap,
  user: Address,
  accounts: SolanaAccounts,
): readonly InstructionAccount[] {
  const pool = toSolanaAddress(swap.pool.pool);
  const own = [asWritable(pool)];
  const account = accounts.get(pool);
  const encoder = SWAP_ENCODERS.get(swap.pool.venue);
  if (account === undefined || encoder === undefined) return own;
  const sideOf = (token: Address) => {
    const mint = toMint(token);
    const tokenProgram = accounts.get(mint)?.owner ?? TOKEN_PROGRAM;
    return { mint, tokenProgram, account: findHeldAccount({ owner: user, mint, tokenProgram }) };
  };
  const [sideIn, sideOut] = [sideOf(swap.tokenIn), sideOf(swap.tokenOut)];
  try {
    return encoder.encode({
      ...{ program: account.owner, pool, data: new AccountBytes(account.data), user },
      ...{ mintIn: sideIn.mint, mintOut: sideOut.mint },
      ...{ tokenProgramIn: sideIn.tokenProgram, tokenProgramOut: sideOut.tokenProgram },
      ...{ accountIn: sideIn.account, accountOut: sideOut.account },
      ...{ fixed: 'input', amountIn: 1n, amountOut: 1n },
      open: (address) => {
        const found = accounts.get(address);
        return found === undefined ? null : new AccountBytes(found.data);
      },
    }).accounts;
  } catch (error) {
    if (error instanceof RangeError) return own;
    throw error;
  }
}

/** What every swap in the pool names, whoever sends it and whichever way it goes. */
export function listPoolUses(
  pool: PoolDescription,
  accounts: SolanaAccounts,
): InstructionAccount[] {
  const { token0, token1 } = pool;
  const swaps = [
    { pool, tokenIn: token0, tokenOut: token1 },
    { pool, tokenIn: token1, tokenOut: token0 },
  ];
  const [first = [], ...others] = swaps.flatMap((swap) =>
    USERS.map((user) => listUses(swap, user, accounts)),
  );
  return first.filter(({ address, isWritable }) =>
    others.every((other) =>
      other.some((use) => use.address === address && use.isWritable === isWritable),
    ),
  );
}

/** What it locks. */
function listLocked(pool: PoolDescription, accounts: SolanaAccounts): Address[] {
  const uses = listPoolUses(pool, accounts).filter(({ isWritable }) => isWritable);
  return uses.map(({ address }) => address);
}

/** Of a pool where no trades are built, only its own account. */
export async function readLockedAccounts(
  node: SolanaNode,
  pools: readonly PoolDescription[],
): Promise<Address[]> {
  if (pools.length === 0) return [];
  const hops = pools.map((pool) => ({ pool, tokenIn: pool.token0, tokenOut: pool.token1 }));
  const read = {
    swapPaths: [{ takes: 'input', amountInRaw: 1n, amountOutRaw: 1n, hops }],
  } as const;
  const first = await readAccounts(node, { addresses: listPlanAccounts(read), minSlot: 0 });
  const settings = listSettings(read, first.accounts);
  const second = await readAccounts(node, { addresses: settings, minSlot: first.slot });
  const accounts = new Map([...first.accounts, ...second.accounts]);
  return [...new Set(pools.flatMap((pool) => listLocked(pool, accounts)))];
}
