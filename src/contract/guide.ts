// A guide for people that the reference shows beside the operations.

export interface Guide {
  /** The name of its file without the extension; used for anchors. */
  readonly id: string;
  readonly title: string;
  readonly markdown: string;
}

/** What the reference contains besides the operations. */
export interface ReferenceAbout {
  readonly version: string;
  readonly guides: readonly Guide[];
}
