// Rows of the final height while data is on its way.

export function SkeletonRows({ count, columns }: { count: number; columns: number }) {
  return (
    <>
      {Array.from({ length: count }, (_, row) => (
        <tr key={row} class="skeleton">
          {Array.from({ length: columns }, (__, column) => (
            <td key={column}>
              <span class="bone" />
            </td>
          ))}
        </tr>
      ))}
    </>
  );
}
