// Takes the pictures of the README: `npm start` in one terminal, some minutes later
// `npx node docs/take-pictures.ts` in another.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { WIRE } from '../test/docs-scene.ts';
import { launchBrowser, openContext } from '../test/launch-browser.ts';

const FOLDER = join(import.meta.dirname, 'pictures');
const QUALITY = 0.8;

interface Shot {
  readonly name: string;
  readonly path: string;
  readonly theme: 'dark' | 'light';
  readonly width: number;
  readonly height: number;
  /** Something that is there once the page is filled. */
  readonly sign: string;
  /** What is entered into the form to buy, so that it shows a quote. */
  readonly amount?: string;
}

const TOKEN = `/token?chain=devnet&mint=${WIRE}`;
const SHOTS: readonly Shot[] = [
  {
    name: 'token',
    path: `${TOKEN}&interval=15m`,
    theme: 'dark',
    width: 1440,
    height: 900,
    sign: '.tape tr[data-id]',
    amount: '1',
  },
  {
    name: 'tokens',
    path: '/',
    theme: 'light',
    width: 1440,
    height: 900,
    sign: 'table.tokens tbody a',
  },
  {
    name: 'phone-list',
    path: '/',
    theme: 'light',
    width: 390,
    height: 844,
    sign: 'table.tokens tbody a',
  },
  {
    name: 'phone',
    path: `${TOKEN}&interval=15m`,
    theme: 'dark',
    width: 390,
    height: 844,
    sign: '.tape tr[data-id]',
  },
];

/** The browser itself can write WebP, a tenth of a PNG's size. */
async function toWebp(browser: Browser, png: Buffer): Promise<Buffer> {
  const page = await browser.newPage();
  const url = await page.evaluate<string>(`(async () => {
    const image = new Image();
    image.src = 'data:image/png;base64,${png.toString('base64')}';
    await image.decode();
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
    canvas.getContext('2d').drawImage(image, 0, 0);
    return canvas.toDataURL('image/webp', ${QUALITY});
  })()`);
  await page.close();
  return Buffer.from(url.slice(url.indexOf(',') + 1), 'base64');
}

const [origin = 'http://127.0.0.1:8080'] = process.argv.slice(2);
const browser = await launchBrowser();
mkdirSync(FOLDER, { recursive: true });
for (const { name, path, theme, width, height, sign, amount } of SHOTS) {
  const context = await openContext(browser, {
    viewport: { width, height },
    colorScheme: theme,
    deviceScaleFactor: width < 600 ? 2 : 1,
  });
  const page = await context.newPage();
  await page.goto(origin + path);
  await page.locator(sign).first().waitFor();
  await page.locator('.lamp-live').waitFor();
  if (amount !== undefined) {
    await page.getByLabel('You pay').fill(amount);
    await page.getByText('You receive about').waitFor();
  }
  const webp = await toWebp(browser, await page.screenshot());
  writeFileSync(join(FOLDER, `${name}.webp`), webp);
  console.log(`${name}.webp ${webp.length} bytes`);
  await context.close();
}
await browser.close();
