// Sign-in: the server writes a challenge, and accepts a signature of exactly that text, once.

import type { ChainFamily } from '../chains/family.ts';
import type { WorkContext } from '../contract/work-context.ts';
import { AppError, buildInvalidInputError } from '../errors/app-error.ts';
import { toShownText } from '../lib/clean-text.ts';
import type { Clock } from '../lib/clock.ts';
import type { SessionTransport, WalletRecord } from '../model/access-record.ts';
import type { ChainInfo, ChainSlug } from '../model/chain.ts';
import type { ChainRegistry } from '../model/chain-registry.ts';
import { buildNodeError, type ContractSignatures } from './contract-signatures.ts';
import type { Peppers } from './peppers.ts';
import { createNonce, isPrivateKeyShapedSignature } from './secret-token.ts';
import type { BegunSession, Sessions } from './sessions.ts';
import { type SessionOrigins, toDomain } from './sessions.ts';
import { buildUnauthorizedError } from './unauthorized.ts';
import {
  type Challenge,
  openChallenge,
  sealChallenge,
  verifyWallet,
  writeSignInText,
} from './verify-wallet.ts';

function parseChain(chains: ChainRegistry, name: string): ChainInfo {
  const chain = chains.find(name);
  if (chain) return chain;
  const known = chains.slugs.join(', ');
  throw new AppError('UNKNOWN_CHAIN', { chain: toShownText(name), known });
}

/** In the form that people are shown: wallets put that into what they sign. */
function parseWalletAddress(
  { addresses, wallets }: Pick<ChainFamily, 'addresses' | 'wallets'>,
  { chain, text }: { readonly chain: ChainSlug; readonly text: string },
): string {
  const refuse = (message: string) =>
    new AppError('INVALID_ADDRESS', { chain }, { errors: [{ path: 'address', message }] });
  const address = addresses.parse(text);
  if (address === null) throw refuse(`must be an address on ${chain}`);
  if (wallets.canSign?.(address) === false) {
    throw refuse('must be the address of a wallet; no key can sign for this one');
  }
  return addresses.toShown(address);
}

export const CHALLENGE_LIFE_MS = 5 * 60_000;
/** What a wrong signature costs its sender on top, whoever it was meant to sign in. */
const FAILURE_COST = 5;

interface SignInOptions {
  readonly peppers: Peppers;
  readonly sessions: Sessions;
  readonly knownChains: ChainRegistry;
  readonly findFamily: (chain: ChainSlug) => ChainFamily;
  readonly contracts: ContractSignatures;
  readonly origins: SessionOrigins;
  readonly clock: Clock;
}

/** The caller, as opposed to the input. */
interface SignInCaller extends Pick<WorkContext, 'chargeDone'> {
  readonly addressGroup: string;
  readonly origin: string | null;
}

function computeEnd({ issuedAtMs }: Challenge): number {
  return issuedAtMs + CHALLENGE_LIFE_MS;
}

export class SignIn {
  readonly #options: SignInOptions;

  constructor(options: SignInOptions) {
    this.#options = options;
  }

  challenge(
    input: { readonly address: string; readonly chain: string; readonly domain?: string },
    caller: SignInCaller,
  ): { challengeId: string; message: string; expiresAt: number } {
    const { peppers, clock, findFamily, knownChains } = this.#options;
    const chain = parseChain(knownChains, input.chain);
    const family = findFamily(chain.slug);
    const challenge: Challenge = {
      chain: chain.slug,
      address: parseWalletAddress(family, { chain: chain.slug, text: input.address }),
      uri: this.#pickOrigin(input.domain ?? null, caller.origin),
      nonce: createNonce(),
      issuedAtMs: clock.nowMs(),
    };
    return {
      challengeId: sealChallenge(peppers, challenge),
      message: this.#writeText(challenge, chain),
      expiresAt: computeEnd(challenge),
    };
  }

  #writeText(challenge: Challenge, chain: ChainInfo): string {
    const { accountName } = this.#options.findFamily(chain.slug).wallets;
    const domain = toDomain(challenge.uri);
    const expiresAtMs = computeEnd(challenge);
    return writeSignInText({ ...challenge, chain, accountName, domain, expiresAtMs });
  }

  async verify(
    input: {
      readonly challengeId: string;
      readonly signature: string;
      readonly transport: SessionTransport;
    },
    caller: SignInCaller,
  ): Promise<BegunSession> {
    const { peppers, clock, sessions, knownChains } = this.#options;
    const { challengeId, signature, transport } = input;
    // Without this check another site could sign its visitor in as someone else.
    if (transport === 'cookie') this.#assertOrigin(caller.origin);
    if (isPrivateKeyShapedSignature(signature)) throw buildUnauthorizedError('PRIVATE_KEY_REFUSED');
    const challenge = openChallenge(peppers, challengeId);
    // A chain may have left the operator's file since.
    const chain = challenge && knownChains.find(challenge.chain);
    if (challenge === null || chain === null || computeEnd(challenge) <= clock.nowMs()) {
      throw new AppError('CHALLENGE_EXPIRED', {});
    }
    if (transport === 'cookie' && toDomain(caller.origin ?? '') !== toDomain(challenge.uri)) {
      throw new AppError('ORIGIN_NOT_ALLOWED', {});
    }
    const wallet = await this.#findSigner({ challenge, chain, signature }, caller);
    const used = { nonce: challenge.nonce, expiresAtMs: computeEnd(challenge) };
    const begun = await sessions.begin({
      ...{ challenge: used, wallet, chain: challenge.chain, transport },
    });
    if (begun === null) throw new AppError('CHALLENGE_EXPIRED', {});
    return begun;
  }

  async #findSigner(
    signed: {
      readonly challenge: Challenge;
      readonly chain: ChainInfo;
      readonly signature: string;
    },
    caller: SignInCaller,
  ): Promise<WalletRecord> {
    const { findFamily, contracts } = this.#options;
    const { challenge, chain, signature } = signed;
    const text = this.#writeText(challenge, chain);
    const { addressGroup } = caller;
    const signer = await verifyWallet(
      { challenge, text, signature, addressGroup, caip2: chain.caip2 },
      findFamily(chain.slug).wallets,
      contracts,
    );
    if (typeof signer !== 'string') return signer;
    caller.chargeDone?.(FAILURE_COST);
    throw signer === 'refused' ? new AppError('INVALID_SIGNATURE', {}) : buildNodeError(chain.slug);
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
