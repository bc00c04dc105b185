// The chains that this process knows by name, whether or not it follows them: those that are built
// in, and those of the operator's file. Made once from the settings and handed to whoever needs it.

import { BUILT_IN_CHAINS, type ChainInfo, type ChainSlug } from './chain.ts';

export class ChainRegistry {
  readonly #bySlug: ReadonlyMap<ChainSlug, ChainInfo>;
  readonly #byName: ReadonlyMap<string, ChainInfo>;

  /** Chains with the slug of a built-in one replace it. */
  constructor(chains: readonly ChainInfo[] = []) {
    const all = [...Object.values(BUILT_IN_CHAINS), ...chains];
    this.#bySlug = new Map(all.map((chain) => [chain.slug, chain]));
    this.#byName = new Map(
      [...this.#bySlug.values()].flatMap((chain) => [
        [chain.slug, chain],
        [chain.caip2, chain],
      ]),
    );
  }

  get slugs(): readonly ChainSlug[] {
    return [...this.#bySlug.keys()];
  }

  list(): readonly ChainInfo[] {
    return [...this.#bySlug.values()];
  }

  /** Resolves a slug or CAIP-2 identifier; null for an unknown chain. */
  find(name: string): ChainInfo | null {
    return this.#byName.get(name) ?? null;
  }

  /** Null if no known chain has the EIP-155 id. */
  findById(chainId: number): ChainInfo | null {
    return this.list().find((chain) => chain.chainId === chainId) ?? null;
  }

  /** Throws for a chain that is not known, such as one that is no longer in the operator's file. */
  get(slug: ChainSlug): ChainInfo {
    const chain = this.#bySlug.get(slug);
    if (chain === undefined) throw new Error(`the chain ${slug} is not known`);
    return chain;
  }
}
