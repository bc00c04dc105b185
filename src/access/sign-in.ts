// Sign-in: the server writes and stores a challenge, and accepts a signature of exactly that text.

import type { ChainFamily } from '../chains/family.ts';
import { AppError, buildInvalidInputError } from '../errors/app-error.ts';
import type { Clock } from '../lib/clock.ts';
import type { SessionTransport } from '../model/access-record.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { ChainRegistry } from '../model/chain-registry.ts';
import type { AccessStore, ChallengeBounds } from '../store/access-store.ts';
import { createAccessId, createNonce } from './access-id.ts';
import type { ContractSignatures } from './contract-signatures.ts';
import type { Peppers } from './peppers.ts';
import { isPrivateKeyShapedSignature } from './private-key-shape.ts';
import { type SessionOrigins, toDomain } from './session-origins.ts';
import type { BegunSession, Sessions } from './sessions.ts';
import { writeSignInText } from './sign-in-message.ts';
import { buildUnauthorizedError } from './unauthorized.ts';
import { verifyWallet } from './verify-wallet.ts';
import { parseChain, parseWalletAddress } from './wallet-address.ts';

export const CHALLENGE_LIFE_MS = 5 * 60_000;
/** A few wrong signatures are mistakes; many are an attempt to load the nodes. */
const FAILURES_MAX = 5;

interface SignInOptions {
  readonly store: AccessStore;
  readonly peppers: Peppers;
  readonly sessions: Sessions;
  readonly knownChains: ChainRegistry;
  readonly findFamily: (chain: ChainSlug) => ChainFamily;
  readonly contracts: ContractSignatures;
  readonly origins: SessionOrigins;
  readonly bounds: ChallengeBounds;
  readonly clock: Clock;
}

/** The caller, as opposed to the input. */
interface SignInCaller {
  readonly addressGroup: string;
  readonly origin: string | null;
}

export class SignIn {
  readonly #options: SignInOptions;

  constructor(options: SignInOptions) {
    this.#options = options;
  }

  async challenge(
    input: { readonly address: string; readonly chain: string; readonly domain?: string },
    caller: SignInCaller,
  ): Promise<{ challengeId: string; message: string; expiresAt: number }> {
    const { store, peppers, clock, bounds, findFamily, knownChains } = this.#options;
    const chain = parseChain(knownChains, input.chain);
    const family = findFamily(chain.slug);
    const { accountName } = family.wallets;
    const address = parseWalletAddress(family, { chain: chain.slug, text: input.address });
    const uri = this.#pickOrigin(input.domain ?? null, caller.origin);
    const domain = toDomain(uri);
    const issuedAtMs = clock.nowMs();
    const expiresAtMs = issuedAtMs + CHALLENGE_LIFE_MS;
    const nonce = createNonce();
    const record = {
      id: createAccessId('ch'),
      chain: chain.slug,
      address,
      domain,
      message: writeSignInText({
        ...{ chain, accountName, address, domain, uri, nonce, issuedAtMs, expiresAtMs },
      }),
      callerMark: peppers.mark('caller', caller.addressGroup),
      createdAtMs: issuedAtMs,
      expiresAtMs,
    };
    const opening = await store.openChallenge(record, bounds);
    if (opening.outcome === 'full') {
      const retryAfterSeconds = Math.max(1, Math.ceil((opening.freeAtMs - issuedAtMs) / 1000));
      throw new AppError('TOO_MANY_CHALLENGES', { retryAfterSeconds }, { retryAfterSeconds });
    }
    return { challengeId: record.id, message: record.message, expiresAt: expiresAtMs };
  }

  async verify(
    input: {
      readonly challengeId: string;
      readonly signature: string;
      readonly transport: SessionTransport;
    },
    caller: SignInCaller,
  ): Promise<BegunSession> {
    const { store, clock, contracts, sessions, findFamily, knownChains } = this.#options;
    const { challengeId, signature, transport } = input;
    // Without this check another site could sign its visitor in as someone else.
    if (transport === 'cookie') this.#assertOrigin(caller.origin);
    if (isPrivateKeyShapedSignature(signature)) throw buildUnauthorizedError('PRIVATE_KEY_REFUSED');
    const challenge = await store.readChallenge(challengeId, clock.nowMs());
    // A chain may have left the operator's file since.
    const chain = challenge && knownChains.find(challenge.chain);
    if (challenge === null || chain === null) throw new AppError('CHALLENGE_EXPIRED', {});
    if (transport === 'cookie' && toDomain(caller.origin ?? '') !== challenge.domain) {
      throw new AppError('ORIGIN_NOT_ALLOWED', {});
    }
    const { addressGroup } = caller;
    const { wallets } = findFamily(challenge.chain);
    const signed = { challenge, signature, addressGroup, caip2: chain.caip2 };
    const wallet = await verifyWallet(signed, wallets, contracts);
    if (wallet === null) {
      await store.failChallenge(challengeId, FAILURES_MAX);
      throw new AppError('INVALID_SIGNATURE', {});
    }
    const begun = await sessions.begin({ challengeId, wallet, chain: challenge.chain, transport });
    if (begun === null) throw new AppError('CHALLENGE_EXPIRED', {});
    return begun;
  }

  #assertOrigin(origin: string | null): void {
    if (!this.#options.origins.isAllowed(origin)) throw new AppError('ORIGIN_NOT_ALLOWED', {});
  }

  /** The origin of the requesting page if it is allowed, otherwise the server's own. */
  #pickOrigin(domain: string | null, pageOrigin: string | null): string {
    const { origins } = this.#options;
    if (domain === null && origins.isAllowed(pageOrigin)) return pageOrigin;
    const origin = origins.findByDomain(domain);
    if (origin !== null) return origin;
    const message = `must be one of ${origins.domains.join(', ')}`;
    throw buildInvalidInputError([{ path: 'domain', message }]);
  }
}
