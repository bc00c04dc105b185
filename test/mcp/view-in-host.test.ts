// The view of a token, shown by the host side of MCP Apps' SDK in Chromium, as a host would: in a
// sandboxed frame, under the policy of a page that names no other address.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { getToolUiResourceUri } from '@modelcontextprotocol/ext-apps/app-bridge';
import { build } from 'esbuild';
import { createTokenView } from '../../src/mcp/token-view.ts';
import { untilRight } from '../browser/watched-page.ts';
import { launchBrowser, openContext } from '../launch-browser.ts';
import type { Json } from '../market-scene.ts';
import type { Cleanup } from '../start-service-process.ts';
import { type McpServer, MINT, startMcp } from './start-mcp.ts';

const PAGE_BYTES_MAX = 120_000;
const MIME_TYPE = 'text/html;profile=mcp-app';
const TOKEN = { chain: 'devnet', mint: MINT };

/** As the specification has it for a view that asks for no address. */
const POLICY = [
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:; media-src 'self' data:; connect-src 'none'",
].join('; ');

const HOST = `
import { AppBridge, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge';
globalThis.sizes = [];
globalThis.opened = [];
globalThis.showView = async (html) => {
  const frame = document.body.appendChild(document.createElement('iframe'));
  frame.sandbox = 'allow-scripts';
  frame.width = frame.height = '600';
  const capabilities = { openLinks: {}, serverTools: {} };
  const hostContext = { theme: 'dark' };
  const bridge = new AppBridge(null, { name: 'host', version: '1' }, capabilities, { hostContext });
  globalThis.bridge = bridge;
  bridge.oncalltool = (params) => callTool(params);
  bridge.onsizechange = (size) => sizes.push(size);
  bridge.onopenlink = async ({ url }) => { opened.push(url); return {}; };
  const ready = new Promise((done) => { bridge.oninitialized = done; });
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  frame.srcdoc = html;
  await ready;
};`;

function buildPage(t: Cleanup): string {
  const folder = mkdtempSync(join(tmpdir(), 'mintwire-view-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  execFileSync(process.execPath, ['console/build.ts', folder]);
  return readFileSync(join(folder, 'mcp-app/token.html'), 'utf8');
}

async function readView(mcp: McpServer): Promise<string> {
  const { tools } = (await mcp.call('tools/list')).result;
  const uris = tools.flatMap((tool: Json) => {
    const uri = getToolUiResourceUri(tool);
    return uri === undefined ? [] : [[tool.name, uri, tool._meta['ui/resourceUri']]];
  });
  const uri = 'ui://mintwire/token';
  assert.deepEqual(uris, [
    ['get_token', uri, uri],
    ['get_klines', uri, uri],
  ]);
  const { resources } = (await mcp.call('resources/list')).result;
  assert.equal(resources.find((one: Json) => one.uri === uri)?.mimeType, MIME_TYPE);
  const { contents } = (await mcp.call('resources/read', { uri })).result;
  assert.equal(contents[0].mimeType, MIME_TYPE);
  assert.deepEqual(contents[0]._meta, { ui: { prefersBorder: true } });
  return contents[0].text;
}

async function openHost(t: Cleanup, mcp: McpServer, html: string) {
  const { outputFiles } = await build({
    stdin: { contents: HOST, resolveDir: import.meta.dirname },
    ...{ bundle: true, write: false, format: 'iife', platform: 'browser' },
  });
  const browser = await launchBrowser();
  t.after(() => browser.close());
  const page = await (await openContext(browser)).newPage();
  const faults: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) faults.push(message.text());
  });
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('request', (request) => faults.push(request.url()));
  const calls: Json[] = [];
  await page.exposeFunction('callTool', (params: Json) => {
    calls.push(params);
    return mcp.callTool(params.name, params.arguments);
  });
  await page.addScriptTag({ content: outputFiles[0]?.text ?? '' });
  const meta = `<head>\n<meta http-equiv="Content-Security-Policy" content="${POLICY}">`;
  await page.evaluate(`showView(${JSON.stringify(html.replace('<head>', meta))})`);
  const show = async (name: string, input: object) => {
    const result = await mcp.callTool(name, input);
    await page.evaluate(`bridge.sendToolInput(${JSON.stringify({ arguments: input })})`);
    await page.evaluate(`bridge.sendToolResult(${JSON.stringify(result)})`);
    return result;
  };
  return { page, view: page.frameLocator('iframe'), calls, faults, show };
}

test('a host of the SDK shows the candles and the token, without a request of its own', async (t) => {
  const page = buildPage(t);
  assert.ok(Buffer.byteLength(page) <= PAGE_BYTES_MAX, `${Buffer.byteLength(page)} bytes`);
  const mcp = await startMcp(t, { content: { resources: [createTokenView(() => page)] } });
  const host = await openHost(t, mcp, await readView(mcp));
  const { view, calls } = host;
  const untilCandles = (klines: readonly Json[]) => {
    const count = klines.filter(({ trades }) => trades > 0).length;
    assert.ok(count > 0);
    return view.locator(`.chart[aria-label^="${count} candles"] canvas`).first().waitFor();
  };
  await view.getByText('Waiting for the answer').waitFor();

  const klines = await host.show('get_klines', { ...TOKEN, interval: '1m', limit: 7 });
  await untilCandles(klines.structuredContent.klines);
  const { structuredContent: token } = await mcp.callTool('get_token', TOKEN);
  await view.getByRole('heading', { name: token.symbol }).waitFor();
  await view.locator('.price').getByText('$').waitFor();
  const legend = (await view.locator('.legend').textContent()) ?? '';
  assert.match(legend, /O .+ H .+ L .+ C .+ V /);

  await view.getByRole('button', { name: '1d' }).click();
  await view.locator('button[aria-pressed=true]', { hasText: '1d' }).waitFor();
  assert.deepEqual(calls.at(-1), {
    name: 'get_klines',
    arguments: { ...TOKEN, mint: token.mint, interval: '1d', limit: 200 },
  });

  await host.show('get_token', TOKEN);
  await view.locator('button[aria-pressed=true]', { hasText: '1h' }).waitFor();
  const hours = await mcp.callTool('get_klines', { ...TOKEN, interval: '1h', limit: 200 });
  await untilCandles(hours.structuredContent.klines);

  await view.locator('html[data-theme=dark]').waitFor();
  await host.page.evaluate(`bridge.sendHostContextChange({ theme: 'light' })`);
  await view.locator('html[data-theme=light]').waitFor();
  await view.getByText('Chart by TradingView').click();
  const opened = () => host.page.evaluate<string[]>('opened');
  await untilRight('the opened link', opened, (urls) =>
    urls.includes('https://www.tradingview.com/'),
  );
  const sizes = await host.page.evaluate<{ height: number }[]>('sizes');
  assert.ok((sizes.at(-1)?.height ?? 0) > 280);

  const refused = await host.show('get_klines', { ...TOKEN, mint: 'nothing', interval: '1m' });
  assert.equal(refused.isError, true);
  await view.getByText('The chart could not be loaded').waitFor();
  await host.page.evaluate('bridge.teardownResource({})');
  assert.deepEqual(host.faults, []);
});

test('while the console is being built, the view is asked for again later', async (t) => {
  const mcp = await startMcp(t, { content: { resources: [createTokenView(() => null)] } });
  const answer = await mcp.call('resources/read', { uri: 'ui://mintwire/token' });
  assert.equal(answer.error.data.retryAfterSeconds, 1);
});
