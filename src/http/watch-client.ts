// Detects whether a client still waits for its answer.
//
// A client that closes its sending side may have disconnected, or may still read: the two look the
// same until something is sent. So interim answers are sent from then on, which a reader skips
// (RFC 9110, 15.2) and a closed socket rejects with a reset. The reset shows when the next one is
// sent.

import type { Exchange } from './exchange.ts';

const INTERIM_MS = 250;
/** One for all: the default reason is an error whose stack is recorded each time. */
const CLOSED = new Error('the connection was closed, or the answer was sent');

/** Gives what is aborted when the answer was sent, or cannot be any more. */
export function watchClient({ request, response }: Exchange): AbortSignal {
  const closed = new AbortController();
  if (response.destroyed) {
    closed.abort(CLOSED);
    return closed.signal;
  }
  const { socket } = request;
  let timer: NodeJS.Timeout | undefined;
  const send = () => {
    if (!response.headersSent) response.writeProcessing();
  };
  const ask = () => {
    // Clients of HTTP/1.0 know no interim answers.
    if (request.httpVersion !== '1.1') return;
    send();
    timer = setInterval(send, INTERIM_MS).unref();
  };
  response.once('close', () => {
    socket.off('end', ask);
    clearInterval(timer);
    closed.abort(CLOSED);
  });
  if (socket.readableEnded) ask();
  else socket.once('end', ask);
  return closed.signal;
}
