// The names that clients of the Jupiter API know exchanges by.

interface VenueLabel {
  readonly venue: string;
  readonly label: string;
  readonly programs: readonly string[];
}

/** Labels are those that Jupiter publishes for a program, where one is known. */
const VENUE_LABELS: readonly VenueLabel[] = [
  {
    venue: 'raydium-v4',
    label: 'Raydium',
    programs: ['675kPX9MHTjS2zt1qfr1NYHuzeLXfQM9H24wFSUt1Mp8'],
  },
  {
    venue: 'raydium-cpmm',
    label: 'Raydium CP',
    programs: ['CPMMoo8L3F4NbTegBCKVNunggL7H1ZpdTHKxQB5qKP1C'],
  },
  {
    venue: 'raydium-clmm',
    label: 'Raydium CLMM',
    programs: ['CAMMCzo5YL8w4VFF8KVHrK22GGUsp5VTaW7grrKgrWqK'],
  },
  {
    venue: 'raydium-launchlab',
    label: 'Raydium Launchlab',
    programs: ['LanMV9sAd7wArD4vJFi2qDdfnVhFxYSUg6eADduJ3uj'],
  },
  {
    venue: 'orca-whirlpool',
    label: 'Whirlpool',
    programs: [
      'whirLbMiicVdio4qvUfM5KAg6Ct8VwpYzGff3uctyCc',
      'iwhrLHdsgrvmnwU8GF2FSmyabSMjfHwFGJAX2ufJ3ZN',
    ],
  },
  {
    venue: 'meteora-dlmm',
    label: 'Meteora DLMM',
    programs: ['LBUZKhRxPF3XUpBCjp4YzTKgLccjZhTSDM9YuVaPwxo'],
  },
  {
    venue: 'meteora-damm-v2',
    label: 'Meteora DAMM v2',
    programs: ['cpamdpZCGKUy5JxQXB4dcpGPiikHawvSWAd6mEn1sGG'],
  },
  {
    venue: 'meteora-dbc',
    label: 'Dynamic Bonding Curve',
    programs: ['dbcij3LWUppWqq96dh6gJWwBifmcGfLSB5D4DuSMaqN'],
  },
  {
    venue: 'pump',
    label: 'Pump.fun',
    programs: ['6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P'],
  },
  {
    venue: 'pumpswap',
    label: 'Pump.fun Amm',
    programs: ['pAMMBay6oceH9fJKBRHGP5D4bD4sWpmSwMn52FMfXEA'],
  },
  {
    venue: 'byreal',
    label: 'Byreal',
    programs: ['REALQqNEomY6cQGZJUGwywTBD2UmDT32rZcNnfxQ5N2'],
  },
  {
    venue: 'pancakeswap-clmm',
    label: 'PancakeSwap',
    programs: ['HpNfyc2Saw7RKkQd8nEL4khUcuPhQ7WwY1B2qjx8jxFq'],
  },
  {
    venue: 'moonshot',
    label: 'Moonit',
    programs: ['MoonCVVNZFSYkqNXP6bxHLPL6QQJiMagDL3qcqUQTrG'],
  },
  {
    venue: 'boop',
    label: 'Boop.fun',
    programs: ['boop8hVGQGqehUK2iVEMEnMrL5RbjywRzHKBmBE7ry4'],
  },
];

export const LABELLED_VENUES: readonly string[] = VENUE_LABELS.map(({ venue }) => venue);

const BY_VENUE = new Map(VENUE_LABELS.map((one) => [one.venue, one.label]));
const BY_LABEL = new Map(VENUE_LABELS.map((one) => [one.label.toLowerCase(), one.venue]));

/** A venue without a label is shown by its own name. */
export function toVenueLabel(venue: string): string {
  return BY_VENUE.get(venue) ?? venue;
}

/** Null for an exchange that is not known here. */
export function findLabelledVenue(label: string): string | null {
  return BY_LABEL.get(label.toLowerCase()) ?? null;
}

export function listProgramLabels(venues: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    VENUE_LABELS.filter(({ venue }) => venues.includes(venue)).flatMap(({ label, programs }) =>
      programs.map((program) => [program, label] as const),
    ),
  );
}
