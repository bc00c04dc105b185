// A streaming answer: events that are pushed for as long as the client reads them.

/** Bytes that are sent unchanged to many readers. */
export class StreamFrame {
  readonly bytes: Buffer;

  constructor(text: string) {
    this.bytes = Buffer.from(text, 'utf8');
  }
}

/** A direct path to the socket that bypasses the outlet. */
export interface DirectWay {
  readonly sink: {
    /** False once the send buffer is above its limit. */
    write(bytes: Buffer): boolean;
  };
  /** A frame's bytes on the wire; the same for all readers of the same message. */
  readonly toBytes: (frame: StreamFrame) => Buffer;
}

/** The transport's side of a stream. Nothing may be written after its end. */
export interface StreamOutlet {
  /**
   * With thousands of readers every object on the path is a cache miss. If there is a shorter path
   * than `write`, this is it.
   */
  readonly direct?: DirectWay | null;
  /** False once the send buffer is above its limit; `onDrain` reports when it is empty again. */
  write(frame: StreamFrame): boolean;
  /** Bytes written that are still in this process. */
  readonly waitingBytes: number;
  /** Bytes written that have left this process, since the start of the connection. */
  readonly takenBytes: number;
  /**
   * How long bytes have been in the system's send queue without any acknowledgement; 0 if none wait
   * or it is unknown.
   */
  readonly stalledMs: number;
  /** Ends cleanly, after everything written has been sent. */
  end(): void;
  /** Ends at once and drops unsent bytes. */
  cut(): void;
}

/** Callbacks from the transport to a stream. */
export interface StreamReader {
  onDrain(): void;
  /** Called once when the reader has disconnected or the stream has ended. */
  onClose(): void;
}

export interface StreamAnswer {
  readonly kind: 'stream';
  /** Starts writing; called at most once. */
  start(outlet: StreamOutlet): StreamReader;
  /** Called instead of `start` if the client has already disconnected. */
  cancel(): void;
}

/** What a stream's handler knows of its request, besides the handler context. */
export interface StreamContext {
  /** The last event id of a resuming client, as text; null on a first connection. */
  readonly lastEventId: string | null;
  /**
   * Charges the caller for more. Returns 0 if the budget allowed it, otherwise the wait in
   * milliseconds; nothing is charged then.
   */
  readonly spend: (cost: number) => number;
}
