// The texts of the chart itself, which are loaded with it.

export const chartTexts = {
  label: ({ candles, marks }: { candles: number; marks: number }) =>
    `${candles} candles, ${marks} marks of your trades. The arrows go from candle to candle, Page Up and Page Down move the chart, plus and minus zoom, Home and End go to its ends.`,
} as const;
