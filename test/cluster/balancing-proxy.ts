// A small HTTP proxy for several nodes of one machine, with the rules of deploy/proxy/haproxy.cfg:
// requests go to nodes that are ready, or to those that are alive while none is. A node that cannot
// be reached is passed over; nothing is sent twice.

import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';

const CHECK_TIMEOUT_MS = 5_000;

/** Headers about one connection, which are not passed on. */
const HOP_HEADERS: ReadonlySet<string> = new Set([
  ...['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade'],
]);

type Health = 'ready' | 'alive' | 'gone';

interface Backend {
  readonly origin: string;
  health: Health;
  /** Requests under way, streams included. */
  open: number;
}

export interface BalancingProxy {
  readonly origin: string;
  /** From then on it is checked, and asked once it is well. */
  add(origin: string): void;
  /** How the nodes were when they were last looked at. */
  listHealth(): readonly Readonly<Pick<Backend, 'origin' | 'health'>>[];
  stop(): Promise<void>;
}

async function isOk(url: string): Promise<boolean> {
  const response = await fetch(url, { signal: AbortSignal.timeout(CHECK_TIMEOUT_MS) });
  await response.arrayBuffer();
  return response.ok;
}

async function readHealth(origin: string): Promise<Health> {
  try {
    if (await isOk(`${origin}/v1/ready`)) return 'ready';
    return (await isOk(`${origin}/v1/health`)) ? 'alive' : 'gone';
  } catch {
    return 'gone';
  }
}

/** Names and values in turn, as Node gives and takes them. */
function listPassedOn(rawHeaders: readonly string[]): string[] {
  return rawHeaders.filter((_, index) => {
    const name = rawHeaders[index - (index % 2)] ?? '';
    return !HOP_HEADERS.has(name.toLowerCase());
  });
}

function refuse(response: ServerResponse): void {
  const status = 503;
  const problem = { type: 'about:blank', title: 'No node answers', status };
  response
    .writeHead(status, { 'content-type': 'application/problem+json', 'retry-after': '1' })
    .end(JSON.stringify(problem));
}

class Balancer {
  readonly #backends: Backend[] = [];

  get backends(): readonly Backend[] {
    return this.#backends;
  }

  add(origin: string): void {
    const backend: Backend = { origin, health: 'gone', open: 0 };
    this.#backends.push(backend);
    void this.#check(backend);
  }

  async checkAll(): Promise<void> {
    await Promise.all(this.#backends.map((backend) => this.#check(backend)));
  }

  async #check(backend: Backend): Promise<void> {
    backend.health = await readHealth(backend.origin);
  }

  /** The ready one with the fewest requests, else one that is alive; null if none is left. */
  #pick(passedOver: ReadonlySet<Backend>): Backend | null {
    const left = this.#backends.filter((backend) => !passedOver.has(backend));
    const ready = left.filter(({ health }) => health === 'ready');
    const candidates = ready.length > 0 ? ready : left.filter(({ health }) => health === 'alive');
    const [first] = candidates.toSorted((a, b) => a.open - b.open);
    if (first === undefined) return null;
    // Of those with as many, the one that was asked last comes last.
    this.#backends.splice(this.#backends.indexOf(first), 1);
    this.#backends.push(first);
    return first;
  }

  /** Sends a request to a node; to the next one if it cannot be reached. */
  forward(
    incoming: IncomingMessage,
    response: ServerResponse,
    passedOver: ReadonlySet<Backend> = new Set(),
  ): void {
    const backend = this.#pick(passedOver);
    if (backend === null) {
      refuse(response);
      return;
    }
    const { rawHeaders, socket } = incoming;
    const before = incoming.headers['x-forwarded-for'];
    const client = socket.remoteAddress ?? '';
    const others = listPassedOn(rawHeaders).filter((_, index, all) => {
      return all[index - (index % 2)]?.toLowerCase() !== 'x-forwarded-for';
    });
    const outgoing = request(new URL(incoming.url ?? '/', backend.origin), {
      method: incoming.method ?? 'GET',
      // Without keep-alive an error before the connection is one of the connection.
      agent: false,
      headers: [
        ...others,
        'X-Forwarded-For',
        before === undefined ? client : `${before}, ${client}`,
      ],
    });
    backend.open += 1;
    let isConnected = false;
    outgoing.once('socket', (to) => {
      to.once('connect', () => {
        isConnected = true;
        // The body is sent from here on, so that a node that cannot be reached takes none of it.
        incoming.pipe(outgoing);
      });
    });
    outgoing.once('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, listPassedOn(answer.rawHeaders));
      response.flushHeaders();
      pipeline(answer, response, () => undefined);
    });
    outgoing.once('error', () => {
      if (response.destroyed) return;
      if (response.headersSent) response.destroy();
      else if (isConnected) refuse(response);
      else {
        backend.health = 'gone';
        this.forward(incoming, response, new Set([...passedOver, backend]));
      }
    });
    outgoing.once('close', () => {
      backend.open -= 1;
    });
    response.once('close', () => outgoing.destroy());
  }
}

/** `port` 0 picks a free one; nodes are checked every `checkMs`. */
export async function startBalancingProxy(options: {
  readonly port: number;
  readonly checkMs: number;
}): Promise<BalancingProxy> {
  const balancer = new Balancer();
  const server = createServer((incoming, response) => balancer.forward(incoming, response));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, '127.0.0.1', resolve);
  });
  const timer = setInterval(() => void balancer.checkAll(), options.checkMs);
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    add: (origin) => balancer.add(origin),
    listHealth: () => balancer.backends.map(({ origin, health }) => ({ origin, health })),
    stop: async () => {
      clearInterval(timer);
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
