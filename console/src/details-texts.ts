// The texts of a token's tabs, which are loaded with the first of them.

export const detailsTexts = {
  holders: {
    incomplete: 'Not every balance is known, so shares may be too high.',
    exclude: 'Without pools, contracts and burnt tokens',
    columns: { rank: '#', owner: 'Owner', kind: 'Kind', amount: 'Amount', share: 'Share' },
    kinds: { wallet: 'Wallet', contract: 'Contract', pool: 'Pool', burn: 'Burnt' },
    empty: 'No holder is known.',
    picture: (pct: string) => `The ten largest hold ${pct}`,
  },
  pools: {
    columns: {
      venue: 'Venue',
      pair: 'Pair',
      fee: 'Fee',
      liquidity: 'Liquidity',
      volume: 'Volume 24h',
      depth: 'Depth ±2%',
    },
    show: 'Show depth',
    bids: 'Sells until −',
    asks: 'Buys until +',
    unknown: 'The depth of this pool is not known.',
    empty: 'No pool is known.',
  },
  safety: {
    note: 'What was measured, not a judgement: a token without a warning can still be worthless.',
    none: 'No warning.',
    columns: { fact: 'Fact', value: 'Value', source: 'Source' },
    poolColumns: {
      pool: 'Pool',
      buy: 'Buy tax',
      sell: 'Sell tax',
      sellable: 'Sellable',
      at: 'Checked',
    },
    yes: 'Yes',
    no: 'No',
  },
  traders: {
    window: 'Window',
    columns: {
      rank: '#',
      wallet: 'Wallet',
      volume: 'Volume',
      realised: 'Realised',
      buys: 'Buys',
      sells: 'Sells',
    },
    empty: 'No trader in this window.',
  },
} as const;
