// A V2-like pair's whole state, from its contract, its factory and its tokens.

import { joinFlags } from '../../../../amm/unchecked-flag.ts';
import type { Address } from '../../../../model/ids.ts';
import type { PoolDescription, StateOf } from '../../../../model/pool.ts';
import type { EvmDeployment } from '../../data/deployments/evm-deployment.ts';
import { toPoolContract } from '../../data/evm-ids.ts';
import { addressWord, encodeCallData, hasWords, uintAt, uintWord } from '../../data/hex-data.ts';
import type { CallContracts } from '../../rpc/multicall.ts';
import { DECIMALS_SELECTOR } from '../../tokens/read-token-metadata.ts';
import type { VenueProtocol } from '../venue-protocol.ts';
import {
  GET_FEE_SELECTOR,
  GET_RESERVES_SELECTOR,
  METADATA_SELECTOR,
  STABLE_SWAP_SELECTOR,
} from './pair-selectors.ts';
import { findV2Fork, findV2Layout } from './v2-layouts.ts';

type PairState = Omit<StateOf<'solidlyPair'>, 'isFeeConfirmed'>;

interface PairContext {
  readonly deployment: EvmDeployment;
  readonly callContracts: CallContracts;
}

const DECIMALS_MAX = 36n;
/** Fees are in 1/10000 there. */
const PIPS_PER_BPS = 100;
/** Camelot's are in 1/100000. */
const PIPS_PER_CAMELOT_UNIT = 10;

/** Of 10 to the power of the decimals; null if it is none. */
function toDecimals(unit: bigint): number | null {
  const decimals = unit.toString().length - 1;
  return 10n ** BigInt(decimals) === unit && decimals <= Number(DECIMALS_MAX) ? decimals : null;
}

function readWord(answer: string | null | undefined): bigint | null {
  return answer != null && hasWords(answer, 1) ? uintAt(answer, 0) : null;
}

/** The fee of both directions is read with `readFee`. */
async function readSolidly(
  pool: Address,
  callContracts: CallContracts,
  readFee: (isStable: boolean) => Promise<Pick<PairState, 'fee0' | 'fee1' | 'flags'> | null>,
): Promise<PairState | null> {
  const [metadata = null] = await callContracts([{ to: pool, data: METADATA_SELECTOR }]);
  if (metadata === null || !hasWords(metadata, 7)) return null;
  const isStable = uintAt(metadata, 4) === 1n;
  const [decimals0, decimals1] = [toDecimals(uintAt(metadata, 0)), toDecimals(uintAt(metadata, 1))];
  const fees = await readFee(isStable);
  if (fees === null || decimals0 === null || decimals1 === null) return null;
  return {
    ...{ reserve0: uintAt(metadata, 2), reserve1: uintAt(metadata, 3) },
    ...{ decimals0, decimals1, isStable, ...fees },
  };
}

async function readFactoryFee(
  { pool, factory, isStable }: { pool: Address; factory: Address; isStable: boolean },
  callContracts: CallContracts,
) {
  const key = [addressWord(pool), uintWord(isStable ? 1 : 0)];
  const [answer] = await callContracts([
    { to: factory, data: encodeCallData(GET_FEE_SELECTOR, ...key) },
  ]);
  const bps = readWord(answer);
  if (bps === null || bps > 10_000n) return null;
  const fee = Number(bps) * PIPS_PER_BPS;
  return { fee0: fee, fee1: fee, flags: '' };
}

const UNKNOWN_FEE = { fee0: 0, fee1: 0, flags: joinFlags(['feeUnknown']) };

/** Reserves and fees, in the four words of Camelot's `getReserves()`. */
export function decodeCamelotReserves(answer: string | null) {
  if (answer === null || !hasWords(answer, 4)) return null;
  return {
    ...{ reserve0: uintAt(answer, 0), reserve1: uintAt(answer, 1) },
    fee0: Number(uintAt(answer, 2)) * PIPS_PER_CAMELOT_UNIT,
    fee1: Number(uintAt(answer, 3)) * PIPS_PER_CAMELOT_UNIT,
  };
}

async function readCamelot(
  pool: Address,
  { token0, token1 }: PoolDescription,
  callContracts: CallContracts,
): Promise<PairState | null> {
  const [reserves = null, stable, ...decimals] = await callContracts([
    { to: pool, data: GET_RESERVES_SELECTOR },
    { to: pool, data: STABLE_SWAP_SELECTOR },
    { to: token0, data: DECIMALS_SELECTOR },
    { to: token1, data: DECIMALS_SELECTOR },
  ]);
  const known = decodeCamelotReserves(reserves);
  const [isStable, decimals0, decimals1] = [stable, ...decimals].map(readWord);
  if (known === null || isStable == null || decimals0 == null || decimals1 == null) return null;
  if (decimals0 > DECIMALS_MAX || decimals1 > DECIMALS_MAX) return null;
  const places = { decimals0: Number(decimals0), decimals1: Number(decimals1) };
  return { ...known, ...places, isStable: isStable === 1n, flags: '' };
}

async function readState(
  description: PoolDescription,
  { deployment, callContracts }: PairContext,
): Promise<Readonly<Partial<StateOf<'constantProduct' | 'solidlyPair'>>> | null> {
  const pool = toPoolContract(description.pool);
  const fork = findV2Fork(deployment, description.venue);
  const { name } = findV2Layout(fork ?? {});
  if (name === 'camelot') return readCamelot(pool, description, callContracts);
  if (name === 'solidlyFork') return readSolidly(pool, callContracts, async () => UNKNOWN_FEE);
  if (name === 'solidly' && fork) {
    const { factory } = fork;
    return readSolidly(pool, callContracts, (isStable) =>
      readFactoryFee({ pool, factory, isStable }, callContracts),
    );
  }
  const [answer = null] = await callContracts([{ to: pool, data: GET_RESERVES_SELECTOR }]);
  if (answer === null || !hasWords(answer, 3)) return null;
  return { reserve0: uintAt(answer, 0), reserve1: uintAt(answer, 1) };
}

export const readPoolPage: VenueProtocol['readPoolPage'] = async ({ description }, context) => {
  const state = await readState(description, context);
  if (state === null) return null;
  const feePips = 'fee0' in state ? (state.fee0 ?? null) : null;
  return { state, feePips, ticks: [], covered: null, isLast: true };
};
