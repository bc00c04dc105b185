// The names that clients of the DexScreener API know exchanges by.

interface DexLabel {
  readonly dexId: string;
  /** Versions and kinds of pools; none where that API gives none. */
  readonly labels: readonly string[];
}

const KNOWN: Readonly<Record<string, DexLabel>> = {
  'aerodrome-v2': { dexId: 'aerodrome', labels: [] },
  'aerodrome-slipstream': { dexId: 'aerodrome', labels: ['slipstream'] },
  'velodrome-v2': { dexId: 'velodrome', labels: [] },
  'velodrome-slipstream': { dexId: 'velodrome', labels: ['slipstream'] },
  'raydium-v4': { dexId: 'raydium', labels: [] },
  'raydium-cpmm': { dexId: 'raydium', labels: ['CPMM'] },
  'raydium-clmm': { dexId: 'raydium', labels: ['CLMM'] },
  'orca-whirlpool': { dexId: 'orca', labels: ['wp'] },
  'meteora-dlmm': { dexId: 'meteora', labels: ['DLMM'] },
  'meteora-damm-v2': { dexId: 'meteora', labels: ['DYN2'] },
  pump: { dexId: 'pumpfun', labels: [] },
};

/** For another venue its own name, with the version as a label. */
export function findDexLabel(venue: string): DexLabel {
  const known = Object.hasOwn(KNOWN, venue) ? KNOWN[venue] : undefined;
  if (known !== undefined) return known;
  const [, name = venue, version] = /^(.+)-(v\d+)$/.exec(venue) ?? [];
  return { dexId: name, labels: version === undefined ? [] : [version] };
}
