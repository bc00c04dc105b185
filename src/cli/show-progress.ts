// Shows indexing progress: a bar on a terminal, periodic lines in a log.

import type { Service } from '../compose/start-service.ts';
import type { FollowedChainStatus } from '../market/chain-status.ts';
import { describePace } from '../runtime/chain-progress.ts';

const BAR_WIDTH = 24;
const DRAW_MS = 200;
const LINE_MS = 5000;

/** A bar and the per cent that it shows. */
export function toShareBar(share: number): string {
  const filled = Math.round(BAR_WIDTH * Math.min(1, Math.max(0, share)));
  return `${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)} ${Math.floor(share * 100)} %`;
}

export function renderBar(chain: FollowedChainStatus): string {
  if (!chain.progress) return `${chain.slug}: ${chain.notReady ?? 'ready'}`;
  const { block, head, share } = chain.progress;
  const pace = describePace(chain.progress);
  return `${chain.slug} ${toShareBar(share)}  block ${block} of ${head}${pace}`;
}

/** Redraws one line until every chain is at its head. */
function drawBar({ chains, logger }: Service): NodeJS.Timeout {
  return setInterval(() => {
    const waiting = chains.list().filter((chain) => chain.notReady !== null);
    const text = waiting.map(renderBar).join('   ');
    logger.showStatus(text.slice(0, process.stdout.columns - 1));
  }, DRAW_MS);
}

/** Unchanged lines are not repeated. */
function logLines(service: Service): NodeJS.Timeout {
  const said = new Map<string, string | null>();
  return setInterval(() => {
    for (const { slug, progress, notReady } of service.chains.list()) {
      const isSaid = said.get(slug) === notReady;
      said.set(slug, notReady);
      if (notReady === null || isSaid) continue;
      service.logger.info({ chain: slug, ...progress }, `not ready: ${notReady}`);
    }
  }, LINE_MS);
}

/**
 * Also logs once per chain that it has reached its head. Returns a function that stops the display.
 */
export function showProgress(service: Service, terminal: boolean): () => void {
  const arrived = new Set<string>();
  const arrivals = setInterval(() => {
    for (const { slug, notReady, answer } of service.chains.list()) {
      if (notReady !== null || arrived.has(slug)) continue;
      arrived.add(slug);
      service.logger.info(
        { chain: slug, block: answer.head },
        'the chain is indexed up to its head',
      );
    }
  }, DRAW_MS);
  const showing = terminal ? drawBar(service) : logLines(service);
  return () => {
    clearInterval(arrivals);
    clearInterval(showing);
    service.logger.showStatus('');
  };
}
