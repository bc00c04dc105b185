// Rows as a Parquet file: times as timestamps, counts as 64-bit integers, amounts as text.

import type { SchemaElement } from 'hyparquet';
import { fileWriter, ParquetWriter } from 'hyparquet-writer';
import type { ExportColumn, ExportPage, ExportValue } from './export-table.ts';

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

export async function writeParquet(
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
