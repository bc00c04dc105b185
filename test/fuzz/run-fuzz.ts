// A fuzz run: requests made from the document, sent a few at a time, responses checked and counted.

import { Agent } from 'node:http';
import type { Json } from '../market-scene.ts';
import { checkAnswer, nameOperation } from './check-answer.ts';
import { Dice } from './dice.ts';
import { formatCurl } from './format-curl.ts';
import { AskRefused, type AskService, FuzzWallets } from './fuzz-wallets.ts';
import { KnownValues } from './known-values.ts';
import { type MadeRequest, makeRequest } from './make-request.ts';
import { type ApiDocument, type DocumentOperation, readDocument } from './openapi-document.ts';
import { type FuzzAnswer, type FuzzRequest, type Sender, sendRequest } from './send-request.ts';
import { shrinkRequest } from './shrink-request.ts';

export interface FuzzOptions {
  readonly origin: string;
  readonly seed: number;
  readonly requests: number;
  /** The run ends after this time, however many requests are left. */
  readonly timeMaxMs: number;
  /** Checked before each request; findings so far are reported. */
  readonly isStopped?: () => boolean;
  readonly onProgress?: (sent: number) => void;
}

export interface Finding {
  readonly operation: string;
  readonly fault: string;
  readonly curl: string;
  /** The beginning of the answer's body. */
  readonly answer: string;
  count: number;
}

export interface FuzzReport {
  readonly seed: number;
  readonly sent: number;
  /** Operation → status → how often. */
  readonly counts: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /** Kind of credential → how many requests carried it. */
  readonly credentials: ReadonlyMap<string, number>;
  readonly findings: readonly Finding[];
}

const CONCURRENCY = 8;
const WALLETS = 8;
const REFILL_EVERY = 100;
const FINDINGS_MAX = 50;

/** Less often: constant responses, and what ends the sessions that others need. */
const WEIGHTS: Readonly<Record<string, number>> = {
  getDocs: 0.2,
  getLlms: 0.2,
  getOpenapi: 0.2,
  getHealth: 0.4,
  getReady: 0.4,
  endSession: 0.4,
  endAllSessions: 0.3,
  revokeKey: 0.7,
  callMcp: 2.5,
};

function increase(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

/** Integers in a fault are mostly list indices: the same fault, once. */
function buildSignature(operation: string, fault: string): string {
  return `${operation} ${fault.replace(/\/\d+/g, '/n')}`;
}

class FuzzRun {
  readonly #options: FuzzOptions;
  readonly #document: ApiDocument;
  readonly #sender: Sender;
  readonly #page: string;
  readonly #known = new KnownValues();
  readonly #wallets: FuzzWallets;
  readonly #weights: readonly (readonly [number, DocumentOperation])[];
  readonly #counts = new Map<string, Map<string, number>>();
  readonly #credentials = new Map<string, number>();
  readonly #findings = new Map<string, Finding>();
  #sent = 0;

  constructor(options: FuzzOptions, document: ApiDocument) {
    this.#options = options;
    this.#document = document;
    const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENCY * 2 });
    this.#sender = { origin: options.origin, agent };
    this.#page = `http://localhost:${new URL(options.origin).port}`;
    this.#wallets = new FuzzWallets({ ask: this.#ask, page: this.#page, count: WALLETS });
    this.#weights = document.operations.map((one) => [WEIGHTS[one.id] ?? 1, one]);
  }

  #lastAddress = 0;

  /** For the fuzzer's own needs: from new addresses each time, so that no budget stops it. */
  readonly #ask: AskService = async (method, path, { body, headers = {} }) => {
    this.#lastAddress += 1;
    const address = `172.16.${this.#lastAddress >> 8}.${this.#lastAddress & 255}`;
    const answer = await sendRequest(this.#sender, {
      method,
      target: `/v1${path}`,
      headers: [
        ['X-Forwarded-For', address],
        ...Object.entries(headers),
        ...(body === undefined ? [] : ([['Content-Type', 'application/json']] as const)),
      ],
      body: body === undefined ? null : Buffer.from(JSON.stringify(body)),
    });
    if ('failure' in answer) throw new Error(`${method} ${path}: ${answer.failure}`);
    if (answer.status >= 300) throw new AskRefused(`${method} ${path}`, answer);
    return { headers: answer.headers, json: JSON.parse(answer.body.toString('utf8')) };
  };

  /** Collects real values before the first odd request. */
  async #begin(): Promise<void> {
    await this.#wallets.begin();
    this.#learnAddresses();
    await this.#createWebhooks();
    const take = async (id: string, path: string): Promise<Json> => {
      const { json, headers } = await this.#ask('GET', path, {});
      this.#known.collect(id, json);
      if (headers.etag !== undefined) this.#known.add('etag', headers.etag);
      return json;
    };
    const { tokens } = await take('searchTokens', '/tokens/search?q=e&chain=devnet&limit=3');
    for (const { mint } of tokens) {
      const token = `chain=devnet&mint=${mint}`;
      await take('getTrades', `/token/trades?${token}&limit=2`);
      await take('getHolders', `/token/holders?${token}&limit=2`);
    }
  }

  /** For every wallet one whose receiver is down, and an alert that names it. */
  async #createWebhooks(): Promise<void> {
    for (const token of this.#wallets.list('token', 'live')) {
      const headers = { authorization: `Bearer ${token}` };
      const create = async (path: string, body: Json) => {
        const { json } = await this.#ask('POST', path, { body, headers });
        this.#known.collect(path, json);
        return json;
      };
      try {
        const url = 'http://127.0.0.1:9/';
        const { webhookId } = await create('/webhooks', { url, events: ['alert'] });
        const when = { trade: { valueUsdAbove: '1' } };
        await create('/alerts', { chain: 'devnet', when, webhookId });
      } catch (error) {
        // A service without private targets.
        if (!(error instanceof AskRefused && error.status === 400)) throw error;
      }
    }
  }

  #learnAddresses(): void {
    for (const address of this.#wallets.addresses) this.#known.add('ownAddress', address);
  }

  async #sendOne(index: number): Promise<void> {
    // Separate dice for each request, so that requests do not influence each other.
    const dice = new Dice(Math.imul(this.#options.seed, 0x9e3779b1) + Math.imul(index, 0x85ebca6b));
    const operation = dice.weigh(this.#weights);
    const source = { dice, known: this.#known, wallets: this.#wallets, page: this.#page };
    const made = await makeRequest(operation, source);
    increase(this.#credentials, made.credential.kind);
    const name = nameOperation(made.request, this.#document);
    const counts = this.#counts.get(name) ?? new Map<string, number>();
    this.#counts.set(name, counts);
    const outcome = await sendRequest(this.#sender, made.request);
    if ('failure' in outcome) {
      increase(counts, 'none');
      await this.#note(name, made.request, outcome.failure);
      return;
    }
    increase(counts, String(outcome.status));
    for (const fault of checkAnswer(made.request, outcome, this.#document)) {
      await this.#note(name, made.request, fault);
    }
    this.#learn(name, made, outcome);
  }

  async #findFaults(request: FuzzRequest): Promise<readonly string[]> {
    const outcome = await sendRequest(this.#sender, request);
    if ('failure' in outcome) return [outcome.failure];
    return checkAnswer(request, outcome, this.#document);
  }

  async #note(operation: string, request: FuzzRequest, fault: string): Promise<void> {
    const signature = buildSignature(operation, fault);
    const known = this.#findings.get(signature);
    if (known !== undefined) known.count += 1;
    if (known !== undefined || this.#findings.size >= FINDINGS_MAX) return;
    const { origin } = this.#options;
    const finding = { operation, fault, curl: formatCurl(origin, request), answer: '', count: 1 };
    this.#findings.set(signature, finding);
    const smaller = await shrinkRequest(request, async (candidate) => {
      const faults = await this.#findFaults(candidate);
      const name = nameOperation(candidate, this.#document);
      return faults.some((one) => buildSignature(name, one) === signature);
    });
    const again = await sendRequest(this.#sender, smaller);
    finding.curl = formatCurl(origin, smaller);
    finding.answer = 'failure' in again ? '' : again.body.toString('utf8').slice(0, 300);
  }

  /** Collects reusable values, and notices ended credentials. */
  #learn(operation: string, { credential, request }: MadeRequest, answer: FuzzAnswer): void {
    const { status, headers, body } = answer;
    const { live } = credential;
    if (live !== null && operation !== 'callMcp') {
      const isDropped = String(headers['set-cookie'] ?? '').includes('Max-Age=0');
      const isRefused = status === 401 && /"INVALID_/.test(body.toString('latin1'));
      if (isDropped || isRefused) this.#wallets.noteRefusal(live);
    }
    if (typeof headers.etag === 'string') this.#known.add('etag', headers.etag);
    if (status === 200 && operation === 'getTokenStream') {
      for (const match of body.toString('utf8').matchAll(/^id: (.+)$/gm)) {
        this.#known.add('eventId', match[1] ?? '');
      }
    }
    if (status >= 300 || !headers['content-type']?.startsWith('application/json')) return;
    if (body.length === 0 || operation === 'getOpenapi') return;
    const json = JSON.parse(body.toString('utf8'));
    this.#known.collect(operation, json);
    if (typeof json.nextCursor === 'string') {
      this.#known.addPage(operation, { target: request.target, nextCursor: json.nextCursor });
    }
    if (operation === 'createChallenge') this.#wallets.noteChallenge(json);
  }

  async run(): Promise<FuzzReport> {
    const { requests, seed, timeMaxMs, isStopped, onProgress } = this.#options;
    const untilMs = Date.now() + timeMaxMs;
    const isOver = () => Date.now() >= untilMs || isStopped?.() === true;
    await this.#begin();
    const work = async () => {
      while (this.#sent < requests && !isOver()) {
        const index = this.#sent;
        this.#sent += 1;
        await this.#sendOne(index);
        if (index % REFILL_EVERY === 0) {
          await this.#wallets.refill();
          this.#learnAddresses();
        }
        onProgress?.(index + 1);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, work));
    this.#sender.agent.destroy();
    return {
      seed,
      sent: this.#sent,
      counts: this.#counts,
      credentials: this.#credentials,
      findings: [...this.#findings.values()],
    };
  }
}

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]']);

export async function runFuzz(options: FuzzOptions): Promise<FuzzReport> {
  // Load and hostile input go only to this machine.
  if (!LOOPBACK.has(new URL(options.origin).hostname)) throw new Error('loopback only');
  const served = await fetch(`${options.origin}/v1/openapi.json`);
  return new FuzzRun(options, readDocument(await served.json())).run();
}
