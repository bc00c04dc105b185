// Terms of Meteora's pools that change with time, as bytes of their accounts.

import type { PoolClock } from '../src/amm/pool-moment.ts';
import { type BytePatch, ofPool, type RecordedPool, withDiscriminator } from './solana-pools.ts';

const DBC_CONFIG = withDiscriminator('1a6c0e7b74e6812b');
const MODES = { linear: 0, exponential: 1, limiter: 2 } as const;
/** Of 100 periods, from 50 % to about 1 %. */
const REDUCTIONS = { linear: 4_900_000, exponential: 385, limiter: 1_000_000 } as const;
const CLIFF = 500_000_000;
const PERIODS = 100;
const BIN_STEP_X64 = 1844674407370955;

export interface TimedTerms {
  readonly mode: keyof typeof MODES;
  readonly clock: PoolClock;
  readonly start: number;
  /** The length of a period, or for how long the fee is limited. */
  readonly frequency: number;
}

function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}

export function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

export function u64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

const toActivationType = (clock: PoolClock) => [clock === 'block' ? 0 : 1];

function listDbcPatches({ mode, clock, start, frequency }: TimedTerms): BytePatch[] {
  const account = DBC_CONFIG;
  return [
    { account, offset: 104, bytes: u64(CLIFF) },
    { account, offset: 112, bytes: u64(frequency) },
    { account, offset: 120, bytes: u64(REDUCTIONS[mode]) },
    { account, offset: 128, bytes: u16(PERIODS) },
    { account, offset: 130, bytes: [MODES[mode]] },
    { account, offset: 234, bytes: toActivationType(clock) },
    { account: ofPool, offset: 296, bytes: u64(start) },
  ];
}

function listDammPatches({ mode, clock, start, frequency }: TimedTerms): BytePatch[] {
  const account = ofPool;
  // A limiter has the most that it charges in the upper half.
  const second = mode === 'limiter' ? [...u32(frequency), ...u32(9000)] : u64(frequency);
  return [
    { account, offset: 8, bytes: u64(CLIFF) },
    { account, offset: 16, bytes: [MODES[mode]] },
    { account, offset: 22, bytes: u16(PERIODS) },
    { account, offset: 24, bytes: second },
    { account, offset: 32, bytes: u64(REDUCTIONS[mode]) },
    { account, offset: 472, bytes: u64(start) },
    { account, offset: 480, bytes: toActivationType(clock) },
  ];
}

export function listTimedPatches({ folder }: RecordedPool, terms: TimedTerms): BytePatch[] {
  return folder.includes('dbc') ? listDbcPatches(terms) : listDammPatches(terms);
}

/** A dynamic fee of a bonding curve with the values that Meteora's own site sets. */
export function listDynamicPatches(volatility: number): BytePatch[] {
  const account = DBC_CONFIG;
  const limits = [...u32(14_460_000), ...u32(956_000)];
  const periods = [...u16(1), ...u16(10), ...u16(120), ...u16(5000)];
  return [
    { account, offset: 136, bytes: [1] },
    { account, offset: 144, bytes: [...limits, ...periods] },
    { account, offset: 168, bytes: u64(BIN_STEP_X64) },
    { account: ofPool, offset: 40, bytes: u64(volatility) },
  ];
}
