// A document for people that the reference shows beside the operations.

export interface Guide {
  /** The name of its file without the ending; anchors are made of it. */
  readonly id: string;
  readonly title: string;
  readonly markdown: string;
}

/** What the reference is made of beside the operations. */
export interface ReferenceAbout {
  readonly version: string;
  readonly guides: readonly Guide[];
}
