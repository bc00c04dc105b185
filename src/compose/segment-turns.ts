// Who builds a chain's search segment, so that it is built once for all workers.
//
// A segment serves those who asked before its build began: each of them applies the commits since
// it asked. So a build waits a moment for the other workers to ask, too.

import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ChainSlug } from '../model/chain.ts';
import type { SegmentTurn } from './worker-message.ts';

interface Asker<Port> {
  readonly port: Port;
  readonly reply: (turn: SegmentTurn) => void;
}

interface TurnsOfChain<Port> {
  waiting: Asker<Port>[];
  build: { readonly by: Port; readonly file: string; readonly waiting: Asker<Port>[] } | null;
  timer: NodeJS.Timeout | null;
  lastFile: string | null;
}

interface SegmentTurnsOptions {
  /** Each primary makes a folder of its own in it, because several may use one DATA_DIR. */
  readonly folder: string;
  readonly countWorkers: () => number;
}

/** How long a build waits for further workers that want it. */
const COLLECT_MS = 1500;
/** A folder that was not changed for so long is of a primary that was killed. */
const LEFT_BEHIND_MS = 24 * 3_600_000;

function removeLeftBehind(folder: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const { mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? { mtimeMs: Date.now() };
    if (Date.now() - mtimeMs > LEFT_BEHIND_MS) remove(path);
  }
}

/** Files that cannot be deleted must not end the primary. */
function remove(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // The next start tries again.
  }
}

export class SegmentTurns<Port> {
  readonly #options: SegmentTurnsOptions;
  readonly #chains = new Map<ChainSlug, TurnsOfChain<Port>>();
  #built = 0;
  #ownFolder: string | null = null;

  constructor(options: SegmentTurnsOptions) {
    this.#options = options;
  }

  ask(chain: ChainSlug, asker: Asker<Port>): void {
    const turns = this.#find(chain);
    turns.waiting.push(asker);
    this.#schedule(chain, turns);
  }

  /** The build by this worker has ended. */
  end(chain: ChainSlug, port: Port, isBuilt: boolean): void {
    const turns = this.#find(chain);
    const { build } = turns;
    if (build?.by !== port) return;
    turns.build = null;
    if (isBuilt) {
      turns.lastFile = build.file;
      for (const { reply } of build.waiting) reply({ file: build.file, mustBuild: false });
    } else {
      remove(build.file);
      turns.waiting.unshift(...build.waiting);
    }
    this.#schedule(chain, turns);
  }

  /** The worker has ended: another one builds what it was building. */
  leave(port: Port): void {
    for (const [chain, turns] of this.#chains) {
      turns.waiting = turns.waiting.filter((one) => one.port !== port);
      this.end(chain, port, false);
      this.#schedule(chain, turns);
    }
  }

  close(): void {
    for (const { timer } of this.#chains.values()) if (timer) clearTimeout(timer);
    if (this.#ownFolder !== null) remove(this.#ownFolder);
  }

  /** Null if it cannot be written. */
  #openFolder(): string | null {
    const { folder } = this.#options;
    try {
      if (this.#ownFolder === null) {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        removeLeftBehind(folder);
        this.#ownFolder = mkdtempSync(join(folder, 'primary-'));
      }
      // Another primary may have taken it for one that was left behind.
      mkdirSync(this.#ownFolder, { recursive: true, mode: 0o700 });
      return this.#ownFolder;
    } catch {
      return null;
    }
  }

  #find(chain: ChainSlug): TurnsOfChain<Port> {
    let turns = this.#chains.get(chain);
    if (turns === undefined) {
      turns = { waiting: [], build: null, timer: null, lastFile: null };
      this.#chains.set(chain, turns);
    }
    return turns;
  }

  #schedule(chain: ChainSlug, turns: TurnsOfChain<Port>): void {
    if (turns.build !== null || turns.waiting.length === 0) return;
    const askers = new Set(turns.waiting.map(({ port }) => port));
    if (askers.size >= this.#options.countWorkers()) this.#begin(chain, turns);
    else turns.timer ??= setTimeout(() => this.#begin(chain, turns), COLLECT_MS);
  }

  #begin(chain: ChainSlug, turns: TurnsOfChain<Port>): void {
    if (turns.timer) clearTimeout(turns.timer);
    turns.timer = null;
    const [first, ...others] = turns.waiting;
    if (first === undefined || turns.build !== null) return;
    if (turns.lastFile !== null) remove(turns.lastFile);
    turns.lastFile = null;
    const folder = this.#openFolder();
    if (folder === null) {
      for (const { reply } of turns.waiting.splice(0)) reply({ file: null, mustBuild: true });
      return;
    }
    this.#built += 1;
    const file = join(folder, `${chain}-${this.#built}`);
    turns.build = { by: first.port, file, waiting: others };
    turns.waiting = [];
    first.reply({ file, mustBuild: true });
  }
}
