// What the trades of a wallet with a token come to, keyed so that a wallet's positions are one
// range of the key.
//
// `held` is `boughtRaw costUsdE6 otherRaw`. `figures` is a list of `<period> volume realised buys
// sells`, separated by commas; a period is `h` or `d` with the number of hours or days since 1970,
// or nothing for trades from before the others. All numbers in them are in base 36.

import type { ChainSlug } from '../../model/chain.ts';
import type { PositionPeriod, PositionRecord, TradeFigures } from '../../model/position.ts';
import { computeVolumeStep, createPeriod, sumFigures } from '../../positions/position-periods.ts';
import { createRowWriter } from '../create-row-writer.ts';
import type { SqlRow } from '../sql.ts';
import { defineTable } from '../table.ts';
import { addressAt, buildDamageError, numberAt, textAt } from './column-value.ts';

// Base 36 takes two thirds of the digits of base 10.

/** So many digits are below 2^53. */
const PART_LENGTH = 10;
const PART_FACTOR = 36n ** BigInt(PART_LENGTH);

function encodeBase36(value: bigint): string {
  return value.toString(36);
}

/** Of digits that have been checked, with or without a minus sign. */
function parseBase36(text: string): bigint {
  if (text.startsWith('-')) return -parseBase36(text.slice(1));
  if (text.length <= PART_LENGTH) return BigInt(Number.parseInt(text, 36));
  const end = text.length - PART_LENGTH;
  return parseBase36(text.slice(0, end)) * PART_FACTOR + parseBase36(text.slice(end));
}

export const POSITION_TABLE = defineTable('positions', {
  key: { chain: 'name', wallet: 'hex', token: 'name' },
  data: {
    volume_step: 'integer',
    first_trade_at_ms: 'integer',
    last_trade_at_ms: 'integer',
    cost_known: 'integer',
    held: 'text',
    figures: 'text',
  },
});
const { at } = POSITION_TABLE;
const writeRow = createRowWriter(POSITION_TABLE);

const LENGTHS_MS = { hour: 3_600_000, day: 86_400_000 } as const;
const NO_FIGURES: TradeFigures = { volumeUsdE6: 0n, realisedUsdE6: 0n, buys: 0, sells: 0 };

function encodeFigures(name: string, figures: TradeFigures): string {
  const { volumeUsdE6, realisedUsdE6, buys, sells } = figures;
  const counts = `${buys.toString(36)} ${sells.toString(36)}`;
  return `${name} ${encodeBase36(volumeUsdE6)} ${encodeBase36(realisedUsdE6)} ${counts}`;
}

function encodePeriod(period: PositionPeriod): string {
  const { length, startMs } = period;
  const index = (startMs / LENGTHS_MS[length]).toString(36);
  return encodeFigures(`${length.charAt(0)}${index}`, period);
}

export function toPositionRow(chain: ChainSlug, record: PositionRecord): SqlRow {
  const { older } = record;
  const hasOlder = older.buys + older.sells > 0;
  const figures = [
    ...(hasOlder ? [encodeFigures('', older)] : []),
    ...record.periods.map(encodePeriod),
  ];
  return writeRow({
    chain,
    wallet: record.wallet,
    token: record.token,
    volume_step: computeVolumeStep(sumFigures(record, 0).volumeUsdE6),
    first_trade_at_ms: record.firstTradeAtMs,
    last_trade_at_ms: record.lastTradeAtMs,
    cost_known: record.isCostKnown ? 1 : 0,
    held: [record.boughtRaw, record.costUsdE6, record.otherRaw].map(encodeBase36).join(' '),
    figures: figures.join(','),
  });
}

const FIGURES = /^(?:([hd])([\da-z]+))? ([\da-z]+) (-?[\da-z]+) ([\da-z]+) ([\da-z]+)$/;
const HELD = /^([\da-z]+) ([\da-z]+) ([\da-z]+)$/;

function parsePeriods(text: string): Pick<PositionRecord, 'older' | 'periods'> {
  let older = NO_FIGURES;
  const periods: PositionPeriod[] = [];
  for (const part of text.split(',')) {
    const match = FIGURES.exec(part);
    if (match === null) throw buildDamageError(`The store holds ${part} where figures belong`);
    const [, unit, index = '', volume = '', realised = '', buys = '', sells = ''] = match;
    const figures = {
      volumeUsdE6: parseBase36(volume),
      realisedUsdE6: parseBase36(realised),
      buys: Number.parseInt(buys, 36),
      sells: Number.parseInt(sells, 36),
    };
    const length = unit === 'd' ? 'day' : 'hour';
    if (unit === undefined) older = figures;
    else {
      const startMs = Number.parseInt(index, 36) * LENGTHS_MS[length];
      periods.push(createPeriod(length, startMs, figures));
    }
  }
  return { older, periods: periods.slice() };
}

export function toPositionRecord(row: SqlRow): PositionRecord {
  const held = HELD.exec(textAt(row, at.held));
  if (held === null) throw buildDamageError('The store holds text where held units belong');
  const [, bought = '', cost = '', other = ''] = held;
  const { older, periods } = parsePeriods(textAt(row, at.figures));
  return {
    token: addressAt(row, at.token),
    wallet: addressAt(row, at.wallet),
    boughtRaw: parseBase36(bought),
    costUsdE6: parseBase36(cost),
    otherRaw: parseBase36(other),
    isCostKnown: numberAt(row, at.cost_known) === 1,
    firstTradeAtMs: numberAt(row, at.first_trade_at_ms),
    lastTradeAtMs: numberAt(row, at.last_trade_at_ms),
    older,
    periods,
  };
}
