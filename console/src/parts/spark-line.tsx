// The price of a day as a small line: one SVG path, drawn without a library.

import { buildSparkPath, SPARK_HEIGHT, SPARK_WIDTH } from './build-spark-path.ts';

interface SparkLineProps {
  readonly prices: readonly (string | null)[] | null;
}

export function SparkLine({ prices }: SparkLineProps) {
  const path = prices === null ? null : buildSparkPath(prices);
  if (prices === null || path === null) return <span class="spark" />;
  const known = prices.filter((price) => price !== null);
  const isUp = Number(known.at(-1)) >= Number(known[0]);
  return (
    <svg
      class={isUp ? 'spark up' : 'spark down'}
      width={SPARK_WIDTH}
      height={SPARK_HEIGHT}
      viewBox={`0 0 ${SPARK_WIDTH} ${SPARK_HEIGHT}`}
      aria-hidden="true"
    >
      <path d={path} />
    </svg>
  );
}
