// The view's end of MCP Apps (SEP-1865, 2026-01-26): JSON-RPC 2.0 with the host by `postMessage`.

type Fields = Readonly<Record<string, unknown>>;

interface RpcMessage {
  readonly jsonrpc: '2.0';
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Fields;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

interface HostLink {
  /** Rejects with what the host says. */
  request(method: string, params: Fields): Promise<unknown>;
  notify(method: string, params: Fields): void;
}

interface HostHandlers {
  readonly [method: string]: ((params: Fields) => void) | undefined;
}

const METHOD_NOT_FOUND = -32601;
/** What the host may ask; both need no more than an answer. */
const ANSWERED = ['ping', 'ui/resource-teardown'];

export function openHostLink(handlers: HostHandlers): HostLink {
  const waiting = new Map<unknown, PromiseWithResolvers<unknown>>();
  let lastId = 0;
  // The host's origin is not known to a view, and nothing that is sent is a secret.
  const send = (message: object) => parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
  addEventListener('message', ({ source, data }: MessageEvent<RpcMessage | null>) => {
    if (source !== parent || data?.jsonrpc !== '2.0') return;
    const { id, method, params = {}, result, error } = data;
    if (method === undefined) {
      const asked = waiting.get(id);
      waiting.delete(id);
      if (error === undefined) asked?.resolve(result);
      else asked?.reject(new Error(error.message));
    } else if (id === undefined) handlers[method]?.(params);
    else
      send({
        id,
        ...(ANSWERED.includes(method)
          ? { result: {} }
          : { error: { code: METHOD_NOT_FOUND, message: method } }),
      });
  });
  return {
    request: (method, params) => {
      lastId += 1;
      const asked = Promise.withResolvers<unknown>();
      waiting.set(lastId, asked);
      send({ id: lastId, method, params });
      return asked.promise;
    },
    notify: (method, params) => send({ method, params }),
  };
}
