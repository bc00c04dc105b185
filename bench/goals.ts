// What the measurements are held against. A goal is the least ratio of ours to the peer's.

export interface Goal {
  readonly part: string;
  readonly name: string;
  /** At least this, peer = 1; null where the figure is only told. */
  readonly ratioMin: number | null;
}

export const GOALS = {
  entitlements: {
    part: 'serve',
    name: 'GET /v1/entitlements through the whole stack',
    ratioMin: 0.7,
  },
  coldStart: { part: 'start', name: 'cold start to first answer', ratioMin: null },
} as const satisfies Record<string, Goal>;
