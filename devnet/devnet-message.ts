// What an embedded chain tells the process that started it.

/** Messages to a parent with an IPC channel. */
export type DevnetMessage =
  | { readonly type: 'progress'; readonly line: string }
  | { readonly type: 'ready'; readonly rpcUrl: string; readonly deploymentPath: string }
  | {
      readonly type: 'failed';
      readonly message: string;
      /** A failure that a retry would not fix; null for anything else. */
      readonly reason: 'folder in use' | 'no node' | null;
    };
