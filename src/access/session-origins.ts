// Which web pages may use sessions: the server's own, and those that the operator names.

interface SessionOriginsOptions {
  /** How the server is reached from outside; null where it is only reached on this machine. */
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

  /** Browsers keep `Secure` cookies for https alone; without it the server is on this machine. */
  get isSecure(): boolean {
    return this.#publicOrigin?.startsWith('https://') ?? false;
  }

  isAllowed(origin: string | null): origin is string {
    return origin !== null && (this.#own.includes(origin) || this.#allowed.includes(origin));
  }

  /** The origin that a sign-in text names: that of the domain asked for, else our own. */
  findByDomain(domain: string | null): string | null {
    const all = [...this.#own, ...this.#allowed];
    if (domain === null) return all[0] ?? null;
    return all.find((origin) => toDomain(origin) === domain.toLowerCase()) ?? null;
  }

  get domains(): readonly string[] {
    return [...this.#own, ...this.#allowed].map(toDomain);
  }
}

/** Host, and port where it is not the scheme's own. */
export function toDomain(origin: string): string {
  return new URL(origin).host;
}
