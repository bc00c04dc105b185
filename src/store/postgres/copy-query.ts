// COPY as a query of the driver, which has none of its own.

import { Query } from 'pg';

/** The parts of a connection that a COPY uses; the driver's types leave them out. */
interface CopyConnection {
  readonly stream: { cork(): void; uncork(): void };
  query(text: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
}

/**
 * Sends its rows behind the statement, without waiting for the server to ask for them: a server
 * that has refused the statement ignores them.
 */
export class CopyQuery extends Query {
  readonly #statement: string;
  readonly #body: Buffer;

  constructor(statement: string, body: string, onDone: (error: Error | undefined) => void) {
    super({ text: statement }, (error) => onDone(error ?? undefined));
    this.#statement = statement;
    this.#body = Buffer.from(body, 'utf8');
  }

  override submit = (connection: unknown): void => {
    const { stream } = connection as CopyConnection;
    stream.cork();
    (connection as CopyConnection).query(this.#statement);
    (connection as CopyConnection).sendCopyFromChunk(this.#body);
    (connection as CopyConnection).endCopyFrom();
    stream.uncork();
  };

  /** The driver would answer that it has nothing to send. */
  handleCopyInResponse(): void {}
}
