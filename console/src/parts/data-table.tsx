// A table from a list of columns: a skeleton while rows are on their way, a sentence if none come.

import type { ComponentChildren } from 'preact';
import { SkeletonRows } from './skeleton-rows.tsx';

export interface TableColumn<Row> {
  readonly text: string;
  /** `number` aligns right; `wide` and `wider` are left out on narrow screens. */
  readonly className?: string;
  readonly cell: (row: Row) => ComponentChildren;
}

interface DataTableProps<Row> {
  readonly label: string;
  readonly columns: readonly TableColumn<Row>[];
  /** Null while they are on their way. */
  readonly rows: readonly Row[] | null;
  readonly keyOf: (row: Row) => string;
  readonly empty: string;
  readonly skeletonRows?: number;
  readonly rowClass?: (row: Row) => string;
}

export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, rows, keyOf, rowClass } = props;
  if (rows?.length === 0) return <p class="note">{props.empty}</p>;
  return (
    <table class="plain" aria-busy={rows === null}>
      <caption class="hidden">{label}</caption>
      <thead>
        <tr>
          {columns.map(({ text, className }) => (
            <th key={text} scope="col" class={className ?? ''}>
              {text}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows === null && (
          <SkeletonRows
            count={props.skeletonRows ?? 10}
            columns={columns.map(({ className }) => className ?? '')}
          />
        )}
        {rows?.map((row) => (
          <tr key={keyOf(row)} class={rowClass?.(row) ?? ''}>
            {columns.map(({ text, className, cell }) => (
              <td key={text} class={className ?? ''}>
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
