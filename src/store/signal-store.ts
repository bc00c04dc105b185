// Short texts between processes on the same store. They may be lost: whoever needs one asks again.

export interface SignalStore {
  /** Delivered to every process that listens on the channel, the sender included. */
  send(channel: string, text: string): Promise<void>;
  /**
   * Calls back for every text from now on; while the connection is lost there are none. The
   * returned function ends that.
   */
  listen(channel: string, onText: (text: string) => void): () => Promise<void>;
}
