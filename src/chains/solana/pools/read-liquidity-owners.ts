// Who owns the shares of pools that have a mint of shares (Raydium's CPMM and v4, PumpSwap's): what
// was destroyed of them, and what lies in Raydium's locker, which never gives it back.

import type { Address } from '../../../model/ids.ts';
import type { LiquidityOwners } from '../../../model/liquidity-owners.ts';
import { AccountBytes } from '../data/account-bytes.ts';
import { TOKEN_PROGRAM, toSolanaAddress } from '../data/solana-ids.ts';
import { findHeldAccount } from '../data/token-instructions.ts';
import { readAccounts, type SolanaAccount } from '../rpc/read-accounts.ts';
import type { SolanaNode } from '../rpc/solana-node.ts';
import { VENUES_BY_PROGRAM } from '../venues/solana-venues.ts';

/** Owns what "Burn & Earn" holds of CPMM's shares (raydium-sdk-V2, `LOCK_CPMM_AUTH`). */
const LOCKER = {
  name: 'Raydium Burn & Earn',
  address: toSolanaAddress('3f7GcQFG397GAaEnv51zR6tsTVihYRydnydDD1cXekxH'),
};
const SUPPLY = 36;
const AMOUNT = 64;
const AMOUNT_BYTES = 8;

interface Shares {
  readonly mint: Address;
  /** What the pool counts: a holder who burns shares without the pool leaves it as it is. */
  readonly countedRaw: bigint;
  /** The locker's own account of them. */
  readonly locked: Address;
}

function findShares(account: SolanaAccount | undefined): Shares | null {
  const layout = account && VENUES_BY_PROGRAM.get(account.owner)?.layout;
  if (account === undefined || layout?.shares === undefined) return null;
  const data = new AccountBytes(account.data);
  const [mintAt, countAt] = layout.shares;
  const isPool = layout.discriminator === null || data.discriminator() === layout.discriminator;
  const isWhole = layout.byteCount === null || data.length === layout.byteCount;
  if (!isPool || !isWhole || !data.has(countAt, AMOUNT_BYTES)) return null;
  const mint = data.key(mintAt);
  const held = { owner: LOCKER.address, mint, tokenProgram: TOKEN_PROGRAM };
  return { mint, countedRaw: data.u64(countAt), locked: findHeldAccount(held) };
}

/** Null for a pool without shares. */
export async function readLiquidityOwners(
  node: SolanaNode,
  pools: readonly Address[],
  signal: AbortSignal,
): Promise<(LiquidityOwners | null)[]> {
  const first = await readAccounts(node, { addresses: pools, minSlot: 0 }, signal);
  const found = pools.map((pool) => findShares(first.accounts.get(pool)));
  const addresses = found.flatMap((shares) =>
    shares === null ? [] : [shares.mint, shares.locked],
  );
  if (addresses.length === 0) return found.map(() => null);
  const { slot, accounts } = await readAccounts(node, { addresses, minSlot: first.slot }, signal);
  return found.map((shares) => {
    const mint = shares && accounts.get(shares.mint);
    if (!shares || !mint || shares.countedRaw === 0n) return null;
    const supplyRaw = new AccountBytes(mint.data).u64(SUPPLY);
    const locked = accounts.get(shares.locked);
    const lockedRaw = locked === undefined ? 0n : new AccountBytes(locked.data).u64(AMOUNT);
    const { countedRaw: sharesRaw } = shares;
    return {
      ...{ sharesRaw, lockedRaw, untilMs: null, block: slot },
      // Liquidity may have been added between the two readings.
      burnedRaw: supplyRaw < sharesRaw ? sharesRaw - supplyRaw : 0n,
      lockers: lockedRaw === 0n ? [] : [LOCKER],
    };
  });
}
