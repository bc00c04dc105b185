// Rows of the final height while data is on its way.

interface SkeletonRowsProps {
  readonly count: number;
  /** The classes of each column: what narrow screens leave out is left out here, too. */
  readonly columns: readonly string[];
}

export function SkeletonRows({ count, columns }: SkeletonRowsProps) {
  return (
    <>
      {Array.from({ length: count }, (_, row) => (
        <tr key={row} class="skeleton">
          {columns.map((className, column) => (
            <td key={column} class={className}>
              <span class="bone" />
            </td>
          ))}
        </tr>
      ))}
    </>
  );
}
