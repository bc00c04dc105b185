// An answer that goes on: events that are pushed for as long as somebody reads them.

/** Bytes that go to many readers as they are. */
export class StreamFrame {
  readonly bytes: Buffer;

  constructor(text: string) {
    this.bytes = Buffer.from(text, 'utf8');
  }
}

/** Where frames leave, past the outlet. */
export interface DirectWay {
  readonly sink: {
    /** False once more waits to be sent than should. */
    write(bytes: Buffer): boolean;
  };
  /** A frame as it goes over the wire; the same bytes for all who are told the same. */
  readonly toBytes: (frame: StreamFrame) => Buffer;
}

/** What a transport offers to whoever writes a stream. Nothing may be written after its end. */
export interface StreamOutlet {
  /**
   * With thousands of readers every object on the way is one more to fetch from memory: where there
   * is a shorter one than `write`, it does the same.
   */
  readonly direct?: DirectWay | null;
  /** False once more waits to be sent than should; `onDrain` says when it is gone. */
  write(frame: StreamFrame): boolean;
  /** Bytes that were written and are still in this process. */
  readonly waitingBytes: number;
  /** Bytes that were written and have left this process, since the start of the connection. */
  readonly takenBytes: number;
  /**
   * For how long bytes have waited beyond this process of which the other end acknowledged none; 0
   * where none wait or that cannot be seen.
   */
  readonly stalledMs: number;
  /** Ends cleanly, after what was written. */
  end(): void;
  /** Ends at once; what waits is lost. */
  cut(): void;
}

/** What a stream is told by its transport. */
export interface StreamReader {
  onDrain(): void;
  /** The reader is gone or the stream has ended: told once, whatever the reason. */
  onClose(): void;
}

export interface StreamAnswer {
  readonly kind: 'stream';
  /** Begins to write; called at most once. */
  start(outlet: StreamOutlet): StreamReader;
  /** Instead of `start` where nobody is there any more. */
  cancel(): void;
}

/** What a stream's handler knows of its request, beside what every handler does. */
export interface StreamContext {
  /** Where the reader was when it lost the connection, in words of ours; null on a first one. */
  readonly lastEventId: string | null;
  /**
   * Charges the caller for something more. Returns 0 where it could pay, else after how many
   * milliseconds it can; nothing is charged then.
   */
  readonly spend: (cost: number) => number;
}
