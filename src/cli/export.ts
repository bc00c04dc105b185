// `mintwire export`: writes trades or klines to a file, beside a running service.

import { once } from 'node:events';
import { createWriteStream, existsSync, renameSync, rmSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { SchemaElement } from 'hyparquet';
import { fileWriter, ParquetWriter } from 'hyparquet-writer';
import { computeOpenTime } from '../candles/interval.ts';
import { findFamily } from '../engines/chain-families.ts';
import { type Checkpoint, STORED_INTERVALS } from '../model/market-record.ts';
import type { MarketStore } from '../store/store.ts';
import { toTerminalText } from '../telemetry/terminal-text.ts';
import {
  EXPORT_COLUMNS,
  type ExportColumn,
  type ExportPage,
  type ExportRequest,
  type ExportValue,
  readExport,
} from './export-table.ts';
import { readCommand, refuseCommand } from './read-command.ts';
import { toShareBar } from './show-progress.ts';
import { readChain, withStore } from './with-store.ts';

/** Rows that are held in memory and written together. */
const ROWS_PER_GROUP = 20_000;

const TYPES: Readonly<Record<ExportColumn['type'], Partial<SchemaElement>>> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  integer: { type: 'INT64' },
  boolean: { type: 'BOOLEAN' },
  time: { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
};

function toCell(type: ExportColumn['type'], value: ExportValue | undefined) {
  if (value === null || value === undefined) return null;
  if (type === 'integer') return BigInt(value);
  return type === 'time' ? new Date(Number(value)) : value;
}

async function writeParquet(
  file: string,
  columns: readonly ExportColumn[],
  pages: AsyncIterable<ExportPage>,
): Promise<void> {
  const schema: SchemaElement[] = [
    { name: 'root', num_children: columns.length },
    ...columns.map(({ name, type }) => ({
      ...{ name, repetition_type: 'OPTIONAL' as const },
      ...TYPES[type],
    })),
  ];
  const writer = new ParquetWriter({ writer: fileWriter(file), schema });
  let held: (readonly ExportValue[])[] = [];
  const flush = async (): Promise<void> => {
    const columnData = columns.map(({ name, type }, at) => ({
      name,
      data: held.map((row) => toCell(type, row[at])),
    }));
    if (held.length > 0) await writer.write({ columnData, rowGroupSize: held.length });
    held = [];
  };
  for await (const { rows } of pages) {
    for (const row of rows) held.push(row);
    if (held.length >= ROWS_PER_GROUP) await flush();
  }
  await flush();
  await writer.finish();
}

function toField(value: ExportValue): string {
  const text = value === null ? '' : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Waits for the output to drain, so that at most one page is in memory. */
async function writeCsv(
  out: Writable,
  columns: readonly ExportColumn[],
  pages: AsyncIterable<ExportPage>,
): Promise<void> {
  out.write(`${columns.map(({ name }) => name).join(',')}\n`);
  for await (const { rows } of pages) {
    const text = rows.map((row) => `${row.map(toField).join(',')}\n`).join('');
    if (text !== '' && !out.write(text)) await once(out, 'drain');
  }
}

const FORM = {
  name: 'npx mintwire export',
  help: `usage: npx mintwire export --chain <chain> --table trades|klines --format csv|parquet --out <file>
         [--token <mint>] [--interval ${STORED_INTERVALS.join('|')}] [--from <time>] [--to <time>]

Writes rows that are final and not deleted. --from is inclusive, --to exclusive, such as 2026-01-31
or 2026-01-31T12:00:00Z. --interval is for klines, 1m by default; klines cover all pools.
Amounts and prices are decimal text with all digits. --out - writes CSV to the standard output.
`,
  flags: {
    chain: { type: 'string' },
    table: { type: 'string' },
    format: { type: 'string' },
    out: { type: 'string' },
    token: { type: 'string' },
    interval: { type: 'string' },
    from: { type: 'string' },
    to: { type: 'string' },
  },
} as const;

interface Wanted extends Omit<ExportRequest, 'finalizedBlock'> {
  readonly format: 'csv' | 'parquet';
  readonly out: string;
}

function pick<const T extends string>(known: readonly T[], text: string | undefined): T | null {
  return known.find((one) => one === text) ?? null;
}

function parseTime(text: string): number | null {
  const isTime = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?Z)?$/.test(text);
  const ms = isTime ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? null : ms;
}

function readWanted(typed: readonly string[]): Wanted | null {
  const command = readCommand(typed, FORM);
  if (command === null) return null;
  const { values } = command;
  const chain = readChain(FORM, values.chain);
  if (chain === null) return null;
  const table = pick(['trades', 'klines'], values.table);
  if (table === null) return refuseCommand(FORM, '--table must be trades or klines');
  const format = pick(['csv', 'parquet'], values.format);
  if (format === null) return refuseCommand(FORM, '--format must be csv or parquet');
  const interval = pick(STORED_INTERVALS, values.interval ?? '1m');
  if (interval === null || (table === 'trades' && values.interval !== undefined)) {
    const known = STORED_INTERVALS.join(', ');
    return refuseCommand(FORM, `--interval is for klines and must be one of ${known}`);
  }
  const token = values.token === undefined ? null : findFamily(chain).addresses.parse(values.token);
  if (values.token !== undefined && token === null) {
    return refuseCommand(FORM, `"${values.token}" is not an address on ${chain}`);
  }
  const [fromMs, toMs] = [
    parseTime(values.from ?? '1970-01-01'),
    parseTime(values.to ?? '9999-12-31'),
  ];
  if (fromMs === null || toMs === null || fromMs >= toMs) {
    return refuseCommand(FORM, '--from and --to must be times such as 2026-01-31, --to the later');
  }
  const { out } = values;
  if (!out) return refuseCommand(FORM, '--out is missing');
  if (out === '-' && format === 'parquet') return refuseCommand(FORM, 'Parquet needs a file');
  if (out !== '-' && existsSync(out)) return refuseCommand(FORM, `${out} exists already`);
  const { toShown } = findFamily(chain).addresses;
  return { chain, table, format, interval, token, toShown, range: { fromMs, toMs }, out };
}

/** Limits the requested range to rows that are final and not deleted. */
async function toRequest(
  store: MarketStore,
  wanted: Wanted,
  checkpoint: Checkpoint,
): Promise<ExportRequest> {
  const { out, format, range, ...rest } = wanted;
  const { chain, table, interval } = rest;
  const { finalizedBlock } = checkpoint;
  const headers = await store.readHeaders(chain);
  const finalized = headers.find(({ position }) => position === finalizedBlock);
  if (finalized === undefined) throw new Error('the index has just moved on; run it again');
  // A candle is final once its end is; a trade once its block is.
  const candlesEndMs = computeOpenTime(interval, finalized.timestampMs);
  const toMs = table === 'trades' ? range.toMs : Math.min(range.toMs, candlesEndMs);
  const fromMs = Math.max(range.fromMs, toKeptFrom(wanted, checkpoint));
  return { ...rest, finalizedBlock, range: { fromMs, toMs } };
}

function toKeptFrom({ table, interval }: Wanted, checkpoint: Checkpoint): number {
  if (table === 'trades') return checkpoint.tradesFromMs ?? 0;
  return interval === '1d' ? 0 : (checkpoint.candlesFromMs ?? 0);
}

/** Passes the pages on and shows the progress, on a terminal only. */
async function* showShare(pages: AsyncIterable<ExportPage>): AsyncGenerator<ExportPage> {
  const { stderr } = process;
  let rows = 0;
  for await (const page of pages) {
    rows += page.rows.length;
    if (stderr.isTTY) stderr.write(`\r\x1b[2K${toShareBar(page.share)}  ${rows} rows\r`);
    yield page;
  }
  if (stderr.isTTY) stderr.write('\r\x1b[2K');
  console.error(`${rows} rows`);
}

/** Rejects when the work fails or the stream emits an error. */
async function failWith(stream: Writable, work: Promise<void>): Promise<void> {
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => undefined);
  stream.once('error', failed.reject);
  await Promise.race([work, failed.promise]);
}

async function writeFile(
  { format, out, table }: Wanted,
  pages: AsyncIterable<ExportPage>,
  checkWhole: () => Promise<void>,
): Promise<void> {
  const columns = EXPORT_COLUMNS[table];
  if (out === '-') {
    await failWith(process.stdout, writeCsv(process.stdout, columns, pages));
    return checkWhole();
  }
  // Written under another name first, so that an incomplete file never has the final name.
  const part = `${out}.part`;
  try {
    if (format === 'parquet') await writeParquet(part, columns, pages);
    else {
      const file = createWriteStream(part);
      await failWith(file, writeCsv(file, columns, pages));
      file.end();
      await finished(file);
    }
    await checkWhole();
    renameSync(part, out);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
}

async function run(store: MarketStore, wanted: Wanted): Promise<void> {
  const checkpoint = await store.readCheckpoint(wanted.chain);
  if (checkpoint === null) throw new Error(`nothing of ${wanted.chain} is indexed`);
  const request = await toRequest(store, wanted, checkpoint);
  await writeFile(wanted, showShare(readExport(store, request)), async () => {
    const after = await store.readCheckpoint(wanted.chain);
    if (after === null || toKeptFrom(wanted, after) <= request.range.fromMs) return;
    throw new Error('old rows were deleted meanwhile, so the first days may be incomplete');
  });
}

export async function exportRows(typed: readonly string[]): Promise<void> {
  const wanted = readWanted(typed);
  if (wanted === null) return;
  await withStore(async (store) => {
    try {
      await run(store.market, wanted);
    } catch (error) {
      // The reader of the output closed it, as `head` does.
      if ((error as NodeJS.ErrnoException).code === 'EPIPE') return;
      console.error(`mintwire: ${toTerminalText((error as Error).message)}`);
      process.exitCode = 1;
    }
  });
}
