// An endpoint that behaves as a profile says, on a socket and in real time: before a chain in
// memory, a recorded one or any real node (`forwardTo`).

import { systemClock } from '../../src/lib/clock.ts';
import { sleep } from '../../src/lib/retry.ts';
import { createRandom } from '../fakes/create-random.ts';
import { serveReplies, type TrueAnswer } from '../fakes/misbehaving-rpc.ts';
import type { Profile } from './profiles.ts';
import { Provider } from './provider.ts';

interface WorldFront {
  readonly url: string;
  /** Its counts, and the outages to come. */
  readonly provider: Provider;
  stop(): Promise<void>;
}

export async function startFront(
  profile: Profile,
  answer: TrueAnswer,
  { seed, side }: { readonly seed: number; readonly side?: () => TrueAnswer | null },
): Promise<WorldFront> {
  const provider = new Provider({
    ...{ profile, answer, clock: systemClock, sleep, random: createRandom(seed) },
    ...(side === undefined ? {} : { side }),
  });
  return { provider, ...(await serveReplies(provider.respond)) };
}
