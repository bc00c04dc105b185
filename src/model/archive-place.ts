// Where history is read from in place of the chain's nodes, as `HISTORY_<CHAIN>` names it.

export interface ArchivePlace {
  /** SQD Portal's dataset, era files in a folder or at a URL, another node. */
  readonly kind: 'portal' | 'eraFolder' | 'eraUrl' | 'rpc';
  /** A URL, which may contain a key, or a folder. */
  readonly place: string;
}

export interface ArchiveSettings {
  /** The preferred one first. */
  readonly places: readonly ArchivePlace[];
  /** Of a hundred proved blocks, so many are compared with the node as well. */
  readonly samplePct: number;
}
