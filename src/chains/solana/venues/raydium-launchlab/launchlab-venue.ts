// Raydium's LaunchLab: one event for each trade, with the curve afterwards. It comes twice, in the
// log and as a call of the program to itself; the call counts.

import { findLaunchReserves } from '../../../../amm/launch-curve/launch-curve-kind.ts';
import type { AccountBytes } from '../../data/account-bytes.ts';
import { readSelfEvents } from '../../data/self-events.ts';
import { toSolanaAddress } from '../../data/solana-ids.ts';
import type { ProgramCall } from '../../data/transaction-calls.ts';
import {
  describeLoad,
  describeSwap,
  type SolanaVenue,
  type SwapEvidence,
  type SwapReport,
} from '../solana-venue.ts';
import { LAUNCHLAB_ENCODER } from './encode-swap.ts';
import {
  findLaunchAddress,
  LAUNCH_ENDED,
  LAUNCHLAB_AUTHORITY,
  LAUNCHLAB_LAYOUT,
  listLaunchAccounts,
  readLaunch,
} from './launchlab-accounts.ts';

/** Those of pump, Moonshot and Heaven have the same one: only the program tells them apart. */
const TRADE_EVENT = 'bddb7fd34ee661ee';
/** The first layout has no creator's fee. */
const FIRST_BYTES = 130;
const PLACES = { pool: 4, vaults: [7, 8], user: 0 } as const;

/** They open the pool by a call of CPMM or AMM v4 under their own. */
const MIGRATIONS: Readonly<Record<string, string>> = {
  '885cc8671cda908c': 'migrate_to_cpswap',
  cf52c091fecf91df: 'migrate_to_amm',
};

/** By its two mints, which stand first: the places of other accounts have changed. */
function readEnds(call: ProgramCall) {
  const [base, quote] = [call.account(1), call.account(2)];
  if (MIGRATIONS[call.data.discriminator()] === undefined) return [];
  if (base === null || quote === null) return [];
  return [{ curve: findLaunchAddress(call.program, base, quote) }];
}

/** What the event says of fees and of the curve's end. */
function readEnd(event: AccountBytes) {
  const isFirst = event.length <= FIRST_BYTES;
  const [creatorFee, next] = isFirst ? [0n, 120] : [event.u64(120), 128];
  return {
    ...{ protocolFee: event.u64(104), platformFee: event.u64(112), creatorFee },
    ...{ shareFee: event.u64(next), isBuy: event.u8(next + 8) === 0, status: event.u8(next + 9) },
  };
}

/** The protocol's part of the fee stays in the vault; the others leave it, or never reach it. */
function readReport(event: AccountBytes): SwapReport {
  const { protocolFee, platformFee, creatorFee, shareFee, isBuy, status } = readEnd(event);
  const [amountIn, amountOut] = [event.u64(88), event.u64(96)];
  const paidOut = platformFee + creatorFee + shareFee;
  const fee = protocolFee + paidOut;
  const charged = { amount: isBuy ? amountIn : amountOut + fee, fee };
  const [sellTotal, sold, paid] = [event.u64(32), event.u64(72), event.u64(80)];
  return {
    pool: event.key(0),
    amountIn: isBuy ? amountIn - paidOut : amountIn,
    amountOut: isBuy ? amountOut : amountOut + paidOut,
    change: null,
    fold: ({ kind, terms }) => {
      if (kind !== 'launchCurve') return null;
      const set = {
        ...findLaunchReserves(terms, { sold, paid }),
        ...{ held0: sellTotal - sold, held1: paid },
        ...{ isComplete: status !== 0, isMigrated: false },
      };
      // A trader's own share comes on top of the fee.
      return { poolKind: 'launchCurve', set, ...(shareFee === 0n ? { charged } : {}) };
    },
  };
}

function readReports({ call }: SwapEvidence): SwapReport[] {
  return readSelfEvents(call, TRADE_EVENT).map((event) => readReport(event.from(8)));
}

export const RAYDIUM_LAUNCHLAB: SolanaVenue = {
  name: 'raydium-launchlab',
  programs: [toSolanaAddress('LanMV9sAd7wArD4vJFi2qDdfnVhFxYSUg6eADduJ3uj')],
  discriminatorBytes: 8,
  swaps: {
    faea0d7bd59c13ec: describeSwap('buy_exact_in', PLACES),
    '18d3742869039938': describeSwap('buy_exact_out', PLACES),
    '9527de9bd37c981a': describeSwap('sell_exact_in', PLACES),
    '5fc8472208090ba6': describeSwap('sell_exact_out', PLACES),
  },
  creations: {
    afaf6d1f0d989bed: { name: 'initialize', pool: 5 },
    '4399af27da102620': { name: 'initialize_v2', pool: 5 },
    '25be7ede2c9aab11': { name: 'initialize_with_token_2022', pool: 5 },
  },
  others: MIGRATIONS,
  readEnds,
  readReports,
  listAccounts: listLaunchAccounts,
  layout: LAUNCHLAB_LAYOUT,
  readPool: readLaunch,
  encoder: LAUNCHLAB_ENCODER,
  vaultAuthority: LAUNCHLAB_AUTHORITY,
  findLoad: describeLoad('launchCurve', {
    ...{ units: 120_000n, unitsPerTick: 0n, bytes: 352, sharedBytes: 96 },
    ...{ fixesOutput: true, receivesTokens: true },
  }),
  folds: {
    kind: 'launchCurve',
    stale: { poolKind: 'launchCurve', set: { feePips: null } },
    end: { poolKind: 'launchCurve', set: LAUNCH_ENDED },
  },
  takesTransferFees: 'unchecked',
};
