// Which web pages may use sessions: the server's own, and those that the operator lists.

interface SessionOriginsOptions {
  /** The public URL of the server; null if it is only reached from this machine. */
  readonly publicOrigin: string | null;
  readonly allowed: readonly string[];
}

export class SessionOrigins {
  readonly #publicOrigin: string | null;
  readonly #allowed: readonly string[];
  #own: readonly string[];

  constructor(options: SessionOriginsOptions) {
    this.#publicOrigin = options.publicOrigin;
    this.#allowed = options.allowed;
    this.#own = options.publicOrigin === null ? [] : [options.publicOrigin];
  }

  /** The port is known only once the server listens. */
  listenOn(port: number): void {
    if (this.#publicOrigin !== null) return;
    this.#own = ['127.0.0.1', 'localhost', '[::1]'].map((host) => `http://${host}:${port}`);
  }

  /** Browsers keep `Secure` cookies only for https; without https the server is on this machine. */
  get isSecure(): boolean {
    return this.#publicOrigin?.startsWith('https://') ?? false;
  }

  isAllowed(origin: string | null): origin is string {
    return origin !== null && (this.#own.includes(origin) || this.#allowed.includes(origin));
  }

  /** The origin in the sign-in message: that of the requested domain, otherwise our own. */
  findByDomain(domain: string | null): string | null {
    const all = [...this.#own, ...this.#allowed];
    if (domain === null) return all[0] ?? null;
    return all.find((origin) => toDomain(origin) === domain.toLowerCase()) ?? null;
  }

  get domains(): readonly string[] {
    return [...this.#own, ...this.#allowed].map(toDomain);
  }
}

/** The host, with the port unless it is the default of the scheme. */
export function toDomain(origin: string): string {
  return new URL(origin).host;
}
