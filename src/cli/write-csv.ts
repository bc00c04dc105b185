// Rows as CSV (RFC 4180, a line feed after each record), the columns' names first.

import { once } from 'node:events';
import type { Writable } from 'node:stream';
import type { ExportColumn, ExportPage, ExportValue } from './export-table.ts';

function toField(value: ExportValue): string {
  const text = value === null ? '' : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Waits for the output to drain, so that at most one page is in memory. */
export async function writeCsv(
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
