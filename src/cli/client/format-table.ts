// Tables for a terminal: columns as wide as their cells, numbers to the right, no wider than it.

import { toTerminalLine } from '../../telemetry/terminal-text.ts';

interface Column<Row> {
  readonly title: string;
  readonly read: (row: Row) => string;
  readonly isNumber?: boolean;
  /** What a table that is too wide shows instead; `drop` leaves the column out. */
  readonly narrow?: 'drop' | ((row: Row) => string);
}

interface TableOptions<Row> {
  /** As many columns of characters as the terminal has. */
  readonly width: number;
  /** A line of its own below each row, where the table is too wide for it. */
  readonly below?: Column<Row>;
}

const GAP = '  ';

/** Characters that terminals draw two columns wide: East Asian scripts and most emoji. */
const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\uff01-\uff60\u3000-\u303f]/gu;
const WITHOUT_WIDTH = /\p{M}|\u200d/gu;

/** How many columns of a terminal a text takes. */
export function measureText(text: string): number {
  const plain = text.replace(WITHOUT_WIDTH, '');
  return [...plain].length + (plain.match(WIDE)?.length ?? 0);
}

/** A text of at most so many columns; an ellipsis stands for what is cut off. */
export function cutText(text: string, width: number): string {
  if (measureText(text) <= width) return text;
  let cut = '';
  for (const character of text) {
    if (measureText(cut + character) > width - 1) break;
    cut += character;
  }
  return `${cut}…`;
}

function readCells<Row>(rows: readonly Row[], columns: readonly Column<Row>[]) {
  const cells = [
    columns.map(({ title }) => title),
    ...rows.map((row) => columns.map(({ read }) => toTerminalLine(read(row)))),
  ];
  const widths = columns.map((_, at) =>
    Math.max(...cells.map((line) => measureText(line[at] ?? ''))),
  );
  const width = widths.reduce((sum, one) => sum + one, GAP.length * (columns.length - 1));
  return { cells, widths, width };
}

/** Narrows one column after the other, the last one first, until the table fits. */
function fitColumns<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  width: number,
): readonly Column<Row>[] {
  let fitting = [...columns];
  for (const column of [...columns].reverse()) {
    if (readCells(rows, fitting).width <= width) break;
    const { narrow } = column;
    if (narrow === undefined) continue;
    fitting =
      narrow === 'drop'
        ? fitting.filter((one) => one !== column)
        : fitting.map((one) => (one === column ? { ...one, read: narrow } : one));
  }
  return fitting;
}

export function formatTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  { width, below }: TableOptions<Row>,
): string {
  const all = below === undefined ? columns : [...columns, below];
  const isOneLine = readCells(rows, all).width <= width;
  const shown = isOneLine ? all : fitColumns(rows, columns, width);
  const { cells, widths } = readCells(rows, shown);
  const lines = cells.map((line) =>
    line
      .map((cell, at) => {
        const space = ' '.repeat((widths[at] ?? 0) - measureText(cell));
        return shown[at]?.isNumber ? space + cell : cell + space;
      })
      .join(GAP)
      .trimEnd(),
  );
  if (isOneLine || below === undefined) return lines.join('\n');
  const [head = '', ...body] = lines;
  const blocks = rows.map(
    (row, at) => `${body[at] ?? ''}\n${GAP}${toTerminalLine(below.read(row))}`,
  );
  return [head, ...blocks].join('\n');
}

/** Facts with their labels below each other. */
export function formatFacts(facts: readonly (readonly [label: string, value: string])[]): string {
  const width = Math.max(...facts.map(([label]) => label.length));
  return facts
    .map(([label, value]) => `${label.padEnd(width)}  ${toTerminalLine(value)}`)
    .join('\n');
}
