// The path of a sparkline.

export const SPARK_WIDTH = 96;
export const SPARK_HEIGHT = 28;

/** A line through the known prices; null where there are fewer than two. */
export function buildSparkPath(prices: readonly (string | null)[]): string | null {
  const points = prices.flatMap((price, at) => (price === null ? [] : [{ at, y: Number(price) }]));
  if (points.length < 2) return null;
  const values = points.map(({ y }) => y);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const span = high - low || 1;
  const stepX = SPARK_WIDTH / Math.max(1, prices.length - 1);
  return points
    .map(({ at, y }, index) => {
      const top = high === low ? SPARK_HEIGHT / 2 : 2 + (SPARK_HEIGHT - 4) * (1 - (y - low) / span);
      return `${index === 0 ? 'M' : 'L'}${(at * stepX).toFixed(1)} ${top.toFixed(1)}`;
    })
    .join('');
}
