// Tables for a terminal: columns as wide as their cells, numbers to the right.

interface Column<Row> {
  readonly title: string;
  readonly read: (row: Row) => string;
  readonly isNumber?: boolean;
}

const GAP = '  ';

export function formatTable<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string {
  const cells = [
    columns.map(({ title }) => title),
    ...rows.map((row) => columns.map(({ read }) => read(row))),
  ];
  const widths = columns.map((_, at) => Math.max(...cells.map((line) => line[at]?.length ?? 0)));
  const lines = cells.map((line) =>
    line
      .map((cell, at) => {
        const width = widths[at] ?? 0;
        return columns[at]?.isNumber ? cell.padStart(width) : cell.padEnd(width);
      })
      .join(GAP)
      .trimEnd(),
  );
  return lines.join('\n');
}
