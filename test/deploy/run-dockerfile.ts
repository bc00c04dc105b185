// Runs the steps of our Dockerfile in a folder, for machines without a container engine: COPY and
// RUN do what they say, with a folder in the place of each stage's root. What a container adds (the
// base image, users, isolation) is not tested by this.

import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { basename, delimiter, dirname, join, matchesGlob, posix, relative } from 'node:path';

interface Instruction {
  readonly name: string;
  readonly rest: string;
}

interface Stage {
  readonly root: string;
  workdir: string;
  readonly env: Record<string, string>;
}

export interface BuiltImage {
  /** The folder that stands for `/` of the last stage. */
  readonly root: string;
  readonly workdir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly user: string | null;
  readonly command: readonly string[];
  readonly healthCommand: readonly string[];
}

export function parseDockerfile(text: string): Instruction[] {
  const lines = text.split('\n').filter((line) => !/^\s*(#|$)/.test(line));
  const whole = lines.join('\n').replaceAll(/\s*\\\n\s*/g, ' ');
  return whole.split('\n').flatMap((line) => {
    const [, name = '', rest = ''] = /^\s*([A-Z]+)\s+(.*)$/.exec(line) ?? [];
    return name === '' ? [] : [{ name, rest: rest.trim() }];
  });
}

/** Whether a path of the checkout is sent to the engine; the last pattern that matches decides. */
function createIsSent(text: string): (path: string) => boolean {
  const patterns = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return (path) => {
    let isSent = true;
    for (const pattern of patterns) {
      const isException = pattern.startsWith('!');
      const glob = isException ? pattern.slice(1) : pattern;
      // A pattern also holds for everything below what it names.
      const folders = path.split('/').map((_, index, parts) => parts.slice(0, index + 1).join('/'));
      if (folders.some((folder) => matchesGlob(folder, glob))) isSent = isException;
    }
    return isSent;
  };
}

const NEVER_SENT: ReadonlySet<string> = new Set(['node_modules', '.git']);

function* walkFiles(folder: string, under = ''): Generator<string> {
  for (const entry of readdirSync(join(folder, under), { withFileTypes: true })) {
    const path = posix.join(under, entry.name);
    if (entry.isFile()) yield path;
    else if (entry.isDirectory() && !NEVER_SENT.has(entry.name)) yield* walkFiles(folder, path);
  }
}

class Build {
  readonly #context: { readonly folder: string; readonly files: readonly string[] };
  readonly #folder: string;
  readonly #stages = new Map<string, Stage>();
  readonly settings = new Map<string, string>();
  #stage: Stage | null = null;

  constructor(context: string, folder: string) {
    const isSent = createIsSent(readFileSync(join(context, '.dockerignore'), 'utf8'));
    this.#context = { folder: context, files: [...walkFiles(context)].filter(isSent) };
    this.#folder = folder;
  }

  get stage(): Stage {
    if (this.#stage === null) throw new Error('no FROM yet');
    return this.#stage;
  }

  run({ name, rest }: Instruction): void {
    if (name === 'FROM') this.#begin(rest);
    else if (name === 'WORKDIR') this.#enter(rest);
    else if (name === 'ENV') this.#setVariables(rest);
    else if (name === 'COPY') this.#copy(rest);
    else if (name === 'RUN') this.#execute(rest);
    else if (name !== 'ARG') this.settings.set(name, rest);
  }

  #begin(rest: string): void {
    const name = / AS (\w+)$/.exec(rest)?.[1] ?? String(this.#stages.size);
    const stage = { root: join(this.#folder, name), workdir: '/', env: {} };
    mkdirSync(stage.root, { recursive: true });
    this.#stages.set(name, stage);
    this.#stage = stage;
  }

  #enter(path: string): void {
    this.stage.workdir = posix.resolve(this.stage.workdir, path);
    mkdirSync(join(this.stage.root, this.stage.workdir), { recursive: true });
  }

  #setVariables(rest: string): void {
    for (const pair of rest.split(/\s+/)) {
      const [name = '', ...value] = pair.split('=');
      this.stage.env[name] = value.join('=');
    }
  }

  #copy(rest: string): void {
    const words = rest.split(/\s+/).filter((word) => !word.startsWith('--'));
    const from = /--from=(\w+)/.exec(rest)?.[1];
    const target = words.pop() ?? '';
    const into = posix.resolve(this.stage.workdir, target);
    for (const source of words) {
      if (from === undefined) this.#copySent(source, into, target.endsWith('/'));
      else {
        const { root } = this.#stages.get(from) ?? this.stage;
        cpSync(join(root, source), join(this.stage.root, into), {
          ...{ recursive: true, verbatimSymlinks: true },
        });
      }
    }
  }

  /** A folder's content, or a file, which keeps its name if the target is a folder. */
  #copySent(source: string, into: string, isFolder: boolean): void {
    const { folder, files } = this.#context;
    const below = source === '.' ? '' : `${source}/`;
    const sent = files.filter((file) => file === source || file.startsWith(below));
    if (sent.length === 0) throw new Error(`COPY ${source}: nothing of it is sent`);
    for (const file of sent) {
      const isWhole = file === source;
      const name = isWhole ? (isFolder ? basename(file) : '') : relative(source, file);
      const target = join(this.stage.root, into, name);
      mkdirSync(dirname(target), { recursive: true });
      cpSync(join(folder, file), target);
    }
  }

  #execute(rest: string): void {
    const node = dirname(process.execPath);
    execFileSync('/bin/sh', ['-ec', rest], {
      cwd: join(this.stage.root, this.stage.workdir),
      // The base image's Node; what npm downloaded before is taken from its cache.
      env: {
        ...process.env,
        NODE_OPTIONS: '',
        PATH: `${node}${delimiter}${process.env['PATH'] ?? ''}`,
        npm_config_prefer_offline: 'true',
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  }
}

function parseCommand(text: string | undefined): string[] {
  return text === undefined ? [] : (JSON.parse(text) as string[]);
}

export function runDockerfile(context: string, folder: string): BuiltImage {
  const build = new Build(context, folder);
  const text = readFileSync(join(context, 'Dockerfile'), 'utf8');
  for (const instruction of parseDockerfile(text)) build.run(instruction);
  const { settings, stage } = build;
  const health = settings.get('HEALTHCHECK')?.replace(/^.*?CMD /, '');
  return {
    ...{ root: stage.root, workdir: join(stage.root, stage.workdir), env: stage.env },
    user: settings.get('USER') ?? null,
    command: [...parseCommand(settings.get('ENTRYPOINT')), ...parseCommand(settings.get('CMD'))],
    healthCommand: parseCommand(health),
  };
}
