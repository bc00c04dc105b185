// The console in a real browser: two chains, the service that follows them, and Chromium.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { BrowserContext, Browser as ChromiumBrowser } from 'playwright-core';
import { TEST_ADDRESSES } from '../../devnet/accounts.ts';
import { type SolanaDevnet, startSolanaDevnet } from '../../devnet/solana/start-solana-devnet.ts';
import type { TestChain } from '../../devnet/test-chain.ts';
import { WIRE } from '../docs-scene.ts';
import { untilAtHead } from '../indexed-service.ts';
import { createIndexingScene } from '../indexing-scene.ts';
import { launchBrowser, openContext } from '../launch-browser.ts';
import { startRpcRecorder } from '../rpc-recorder.ts';
import {
  type Cleanup,
  createTempFolder,
  type RunningService,
  startServiceProcess,
} from '../start-service-process.ts';
import { SUM_SHIFTS } from './look-faults.ts';
import { REPORT_BREACHES, untilRight, WatchedPage } from './watched-page.ts';

const run = promisify(execFile);

/** The test account whose wallet is that of an operator. */
export const OPERATOR = 1;

export const WIRE_PATH = `/token?chain=devnet&mint=${WIRE}`;

/** Enough to wait for a start; once it is used up, it stays so for a while. */
const POOR = { LIMIT_ANONYMOUS_PER_MINUTE: '6', LIMIT_ANONYMOUS_BURST: '300' };

const PLENTY = Object.fromEntries(
  ['KEY', 'SESSION'].flatMap((level) => [
    [`LIMIT_${level}_PER_MINUTE`, '1000000'],
    [`LIMIT_${level}_BURST`, '1000000'],
  ]),
);

export interface PageLook {
  readonly width: number;
  readonly theme: 'dark' | 'light';
}

const DESKTOP: PageLook = { width: 1440, theme: 'dark' };

/** A wallet that every page of a browser context finds. */
interface InstalledWallet {
  install(context: BrowserContext): Promise<void>;
}

interface PageOptions {
  readonly look?: PageLook;
  readonly wallets?: readonly InstalledWallet[];
}

/** A second service, whose node does not answer yet, and whose visitors have a small budget. */
interface EarlyService {
  openPage(path: string, options?: PageOptions): Promise<WatchedPage>;
  /** Its node answers from now on. */
  letStart(): void;
  /** Uses up what visitors may ask for. */
  spendBudget(): Promise<void>;
}

export interface ConsoleScene {
  readonly chain: TestChain;
  readonly solana: SolanaDevnet;
  /** The service that runs now. */
  service(): RunningService;
  /** Ends it, starts it again on the same port once `whileDown` is done. */
  restart(whileDown: () => Promise<void>): Promise<void>;
  /** The operator's command; the service follows within a second, and is waited for. */
  setPaused(mint: string, verb: 'pause' | 'resume'): Promise<void>;
  openPage(path: string, options?: PageOptions): Promise<WatchedPage>;
  startEarly(t: Cleanup): Promise<EarlyService>;
}

async function launchChromium(t: Cleanup): Promise<ChromiumBrowser> {
  const browser = await launchBrowser();
  t.after(() => browser.close());
  return browser;
}

/** Opens a page in a context of its own: without cookies, as a new visitor. */
async function openInBrowser(
  browser: ChromiumBrowser,
  url: string,
  { look = DESKTOP, wallets = [] }: PageOptions = {},
): Promise<WatchedPage> {
  const context = await openContext(browser, {
    viewport: { width: look.width, height: look.width < 600 ? 844 : 900 },
    colorScheme: look.theme,
    hasTouch: look.width < 600,
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  await context.addInitScript(REPORT_BREACHES);
  await context.addInitScript(SUM_SHIFTS);
  for (const wallet of wallets) await wallet.install(context);
  const page = await context.newPage();
  // At the end the browser closes what is left.
  page.on('close', () => void context.close().catch(() => undefined));
  const watched = new WatchedPage(page, new URL(url).origin);
  await page.goto(url);
  return watched;
}

type Settings = Readonly<Record<string, string>>;

function startSolana(t: Cleanup): Promise<SolanaDevnet> {
  const starting = startSolanaDevnet({
    ...{ dataDir: createTempFolder(t), port: 0, traders: 'off', seed: 'console' },
    ...{ historyHours: 1, log: () => undefined },
  });
  t.after(async () => (await starting).stop());
  return starting;
}

/** Its settings are those of the first service, with a node that can be held back. */
async function startEarlyService(
  t: Cleanup,
  { browser, chain, env }: { browser: ChromiumBrowser; chain: TestChain; env: Settings },
): Promise<EarlyService> {
  const recorder = await startRpcRecorder(chain.rpcUrl);
  t.after(() => recorder.stop());
  const letStart = recorder.hold(() => true);
  const folder = createTempFolder(t);
  const file = join(folder, 'deployment.json');
  writeFileSync(file, JSON.stringify({ ...chain.deployment, rpcUrl: recorder.url }));
  const { DEVNET_SOLANA_DEPLOYMENT: _, ...others } = env;
  const own = { ...others, DEVNET_DEPLOYMENT: file, DATA_DIR: folder, ...POOR };
  const { origin } = await startServiceProcess(t, { env: own });
  // The console is built.
  await untilStatus(`${origin}/token`, 200);
  return {
    letStart,
    openPage: (path, options) => openInBrowser(browser, origin + path, options),
    spendBudget: async () => {
      while ((await fetch(`${origin}/v1/chains`)).status !== 429);
    },
  };
}

function untilStatus(url: string, expected: number): Promise<number> {
  return untilRight(
    `the status of ${url}`,
    async () => (await fetch(url)).status,
    (status) => status === expected,
  );
}

export async function startConsoleScene(t: Cleanup): Promise<ConsoleScene> {
  const browserStart = launchChromium(t);
  const [{ chain, env: chainEnv }, solana] = await Promise.all([
    createIndexingScene(t, { engine: 'sqlite' }),
    startSolana(t),
  ]);
  const env = {
    ...chainEnv,
    ...PLENTY,
    DEVNET_SOLANA_DEPLOYMENT: solana.deploymentPath,
    OPERATOR_WALLETS: TEST_ADDRESSES[OPERATOR] ?? '',
    // Receivers of webhooks are on this machine.
    WEBHOOK_PRIVATE_TARGETS: 'on',
    // An open tab must not hold a stop: the grace time is longer than a test.
    SHUTDOWN_GRACE_SECONDS: '600',
  };
  let service = await startServiceProcess(t, { env });
  await untilAtHead(service, chain);
  const { origin } = service;
  // The console is built.
  await untilStatus(`${origin}/token`, 200);
  const browser = await browserStart;
  return {
    chain,
    solana,
    service: () => service,
    restart: async (whileDown) => {
      service.child.kill('SIGTERM');
      assert.equal(await service.exited, 0, service.output());
      await whileDown();
      const { port } = new URL(origin);
      service = await startServiceProcess(t, { env: { ...env, PORT: port } });
    },
    setPaused: async (mint, verb) => {
      const args = ['src/cli/main.ts', verb, 'devnet', mint];
      await run(process.execPath, args, { env: { ...process.env, ...env } });
      const url = `${origin}/v1/token?chain=devnet&mint=${mint}`;
      await untilStatus(url, verb === 'pause' ? 404 : 200);
    },
    openPage: (path, options) => openInBrowser(browser, origin + path, options),
    startEarly: (late) => startEarlyService(late, { browser, chain, env }),
  };
}
