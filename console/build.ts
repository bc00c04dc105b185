// Bundles the console into `dist`: a page for each route, and assets with a hash in their names.
//
// `npm ci` runs it, and so does the service where `dist` is missing or older than the sources.

import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { deflateRawSync } from 'node:zlib';
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild';
import { type ConsoleRoute, ROUTES } from './src/routes.ts';

const FOLDER = import.meta.dirname;
/** `node console/build.ts [folder] [texts of another language]` */
const DIST = resolve(process.argv[2] ?? join(FOLDER, 'dist'));
const TEXTS_FILE = resolve(process.argv[3] ?? join(FOLDER, 'src/texts.ts'));
const { texts, lateTexts } = (await import(
  pathToFileURL(TEXTS_FILE).href
)) as typeof import('./src/texts.ts');

/**
 * Every module that asks for texts gets those of the language. For the parts that are loaded late
 * the file is a module of its own: of each of the two, only the texts that are used are kept.
 */
const TEXTS_PLUGIN: Plugin = {
  name: 'texts',
  setup: ({ onResolve }) =>
    onResolve({ filter: /\/texts\.ts$/ }, ({ importer }) => ({
      path: TEXTS_FILE,
      suffix: importer.endsWith('/late-texts.ts') ? '?late' : '',
    })),
};

/** Their licences ask for their text to be passed on. */
const BUNDLED_PACKAGES = [
  'preact',
  '@preact/signals',
  '@preact/signals-core',
  'lightweight-charts',
  'fancy-canvas',
];

const CHART_NOTICE = `TradingView Lightweight Charts™
Copyright (c) 2025 TradingView, Inc. https://www.tradingview.com/`;

interface BuiltFile {
  /** Relative to `dist`. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

const shared = {
  absWorkingDir: FOLDER,
  bundle: true,
  minify: true,
  write: false as const,
  metafile: true as const,
  legalComments: 'none',
  target: 'es2022',
  outdir: DIST,
  entryNames: 'assets/[name]-[hash]',
  chunkNames: 'assets/[name]-[hash]',
  assetNames: 'assets/[name]-[hash]',
  plugins: [TEXTS_PLUGIN],
} satisfies BuildOptions;

type Outputs = Metafile['outputs'];

/** The path at which the output of a source is served. */
function findOutput(outputs: Outputs, source: string): string {
  const found = Object.entries(outputs).find(([, output]) => output.entryPoint === source);
  if (found === undefined) throw new Error(`${source} has no output`);
  return found[0];
}

/** An output and everything that it imports statically. */
function listImports(outputs: Outputs, name: string, found = new Set<string>()): Set<string> {
  if (found.has(name)) return found;
  found.add(name);
  for (const { path, kind } of outputs[name]?.imports ?? []) {
    if (kind === 'import-statement') listImports(outputs, path, found);
  }
  return found;
}

const MAIN = 'src/main.tsx';
const CHART = 'src/pages/token/token-chart.ts';

function bundleApp(plugins: readonly Plugin[]) {
  return build({
    ...shared,
    entryPoints: [MAIN, 'src/style.css'],
    format: 'esm',
    splitting: true,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    plugins: [...shared.plugins, ...plugins],
  });
}

/** The modules of scripts that several parts share and a page needs at once, and of the shell. */
function listSharedModules(outputs: Outputs): string[] {
  const pages = ROUTES.flatMap(({ preload }) => preload).filter((source) => source !== CHART);
  const needed = [MAIN, ...pages].flatMap((source) => [
    ...listImports(outputs, findOutput(outputs, source)),
  ]);
  const scripts = [...new Set(needed)].map((name) => outputs[name]);
  const own = scripts.filter((script) => [undefined, MAIN].includes(script?.entryPoint));
  const modules = own.flatMap((script) => Object.keys(script?.inputs ?? {}));
  // Packages and the SDK are reached through them.
  return modules.filter((module) => module.startsWith('src/') && module !== MAIN).sort();
}

/**
 * Puts what is shared into one script. By itself esbuild makes one for each set of modules that the
 * same parts share: twenty small scripts, which compress far worse than one. So every part that is
 * loaded by itself imports all of it.
 */
function createSharingPlugin({ outputs }: Metafile): Plugin {
  const modules = listSharedModules(outputs).map((module) => join(FOLDER, module));
  const imports = modules.map((path) => `import ${JSON.stringify(path)};`).join('\n');
  const parts = Object.values(outputs).flatMap(({ entryPoint = '' }) =>
    entryPoint.startsWith('src/') && !entryPoint.endsWith('.css') ? [join(FOLDER, entryPoint)] : [],
  );
  return {
    name: 'sharing',
    setup: ({ onLoad }) =>
      onLoad({ filter: /\.tsx?$/ }, ({ path }) => {
        if (!parts.includes(path)) return undefined;
        const loader = path.endsWith('x') ? 'tsx' : 'ts';
        return { contents: `${readFileSync(path, 'utf8')}\n${imports}`, loader };
      }),
  };
}

async function bundle() {
  // The first one says what is shared.
  const { metafile } = await bundleApp([]);
  const app = await bundleApp([createSharingPlugin(metafile)]);
  // Runs before the first paint, so it is no module: modules wait for the document.
  const theme = await build({ ...shared, entryPoints: ['src/stored-theme.ts'], format: 'iife' });
  const files = [...app.outputFiles, ...theme.outputFiles].map(({ path, contents }) => ({
    name: relative(DIST, path),
    bytes: contents,
  }));
  return { files, outputs: { ...app.metafile.outputs, ...theme.metafile.outputs } };
}

/** Outputs are named relative to the working folder, wherever that is. */
const toHref = (output: string) => `/assets/${basename(output)}`;

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '"': '&quot;' };

/** A text of the page, in an element or an attribute. */
const escapeText = (text: string) => text.replace(/[&<"]/g, (one) => ESCAPES[one] ?? one);

function renderPage(outputs: Outputs, route: ConsoleRoute): string {
  const main = findOutput(outputs, MAIN);
  const sources = route.preload.map((source) => findOutput(outputs, source));
  const preloads = [main, ...sources].flatMap((name) => [...listImports(outputs, name)]);
  const links = [...new Set(preloads)].map(
    (name) => `<link rel="modulepreload" href="${toHref(name)}">`,
  );
  return `<!doctype html>
<html lang="${escapeText(texts.locale)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="dark light">
<meta name="description" content="${escapeText(texts.description)}">
<title>${escapeText(`${texts.titles[route.name]} · ${texts.product}`)}</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${toHref(findOutput(outputs, 'src/style.css'))}">
<script src="${toHref(findOutput(outputs, 'src/stored-theme.ts'))}"></script>
${links.join('\n')}
<script type="module" src="${toHref(main)}"></script>
</head>
<body>
<div id="app"></div>
<noscript>${escapeText(texts.noScript)} <a href="/v1/docs">/v1/docs</a></noscript>
</body>
</html>
`;
}

function readLicences(): string {
  const parts = BUNDLED_PACKAGES.map((name) => {
    const folder = join(FOLDER, '../node_modules', name);
    const file = existsSync(folder)
      ? readdirSync(folder).find((each) => /^licen[cs]e/i.test(each))
      : undefined;
    const text = file === undefined ? 'MIT licence' : readFileSync(join(folder, file), 'utf8');
    return `${name}\n\n${text.trim()}\n`;
  });
  return [CHART_NOTICE, ...parts].join('\n\n----\n\n');
}

function writeWhole(name: string, content: string | Uint8Array): void {
  const path = join(DIST, name);
  mkdirSync(dirname(path), { recursive: true });
  // Two builds at once write the same bytes, and nobody reads half of them.
  const draft = `${path}.${process.pid}.draft`;
  writeFileSync(draft, content);
  renameSync(draft, path);
}

/** Pages last: what they name is there before them. Assets of earlier builds go. */
function writeDist(files: readonly BuiltFile[], pages: readonly BuiltFile[]): void {
  for (const { name, bytes } of [...files, ...pages]) writeWhole(name, bytes);
  const kept = new Set(files.map(({ name }) => name));
  for (const name of readdirSync(join(DIST, 'assets'))) {
    if (!kept.has(`assets/${name}`) && !name.endsWith('.draft')) {
      rmSync(join(DIST, 'assets', name), { force: true });
    }
  }
}

/**
 * The view in hosts of MCP: one page with all that it needs, for it may load nothing. Its script is
 * compressed, because the host passes the page on as a string, whole.
 */
async function renderMcpApp(): Promise<string> {
  const { outputFiles } = await build({
    ...shared,
    entryPoints: ['src/mcp-app/token-view.ts', 'src/mcp-app/token-view.css'],
    format: 'iife',
  });
  const read = (extension: string) =>
    outputFiles.find(({ path }) => path.endsWith(extension))?.text ?? '';
  const packed = deflateRawSync(read('.js'), { level: 9 }).toString('base64');
  return `<!doctype html>
<html lang="${escapeText(texts.locale)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeText(lateTexts.mcpApp.title)}</title>
<style>${read('.css')}</style>
</head>
<body>
<script>(async () => {
const bytes = Uint8Array.from(atob('${packed}'), (one) => one.charCodeAt(0));
const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
const script = document.createElement('script');
script.textContent = await new Response(plain).text();
document.head.append(script);
})();</script>
</body>
</html>
`;
}

const toBytes = (text: string) => new TextEncoder().encode(text);

const { files, outputs } = await bundle();
const plain: BuiltFile[] = [
  { name: 'favicon.svg', bytes: readFileSync(join(FOLDER, 'src/favicon.svg')) },
  { name: 'robots.txt', bytes: toBytes('User-agent: *\nDisallow: /v1/\n') },
  { name: 'mcp-app/token.html', bytes: toBytes(await renderMcpApp()) },
  { name: 'licences.txt', bytes: toBytes(readLicences()) },
];
const pages = ROUTES.map((route) => ({
  name: route.path === '/' ? 'index.html' : `${route.path.slice(1)}.html`,
  bytes: toBytes(renderPage(outputs, route)),
}));
// `index.html` is the newest file: its time says when the build was.
writeDist([...files, ...plain], pages.toReversed());
