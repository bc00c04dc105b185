// Logos are fetched from public https servers only, and only small images are accepted.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fetchLogo, LOGO_BYTES_MAX } from './fetch-logo.ts';
import { FetchRefusedError, type SendGet } from './open-url.ts';

const PNG = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(100)]);
const { signal } = new AbortController();

type Reply = { status?: number; location?: string; chunks?: Buffer[] };

/** A network with these replies, by URL; `closed` counts connections that were closed. */
function createNetwork(replies: Readonly<Record<string, Reply>>) {
  const asked: string[] = [];
  const network = { asked, closed: 0, sendGet: null as unknown as SendGet };
  network.sendGet = async (url) => {
    asked.push(url.href);
    const { status = 200, location = null, chunks = [] } = replies[url.href] ?? { status: 404 };
    const body = (async function* () {
      yield* chunks;
    })();
    return {
      ...{ status, location, etag: null, body },
      close: () => {
        network.closed += 1;
      },
    };
  };
  return network;
}

function fetchFrom(network: ReturnType<typeof createNetwork>, url = 'https://a.example/x.png') {
  return fetchLogo(url, { signal, sendGet: network.sendGet });
}

describe('fetchLogo', () => {
  it('gives an image with the type of its bytes', async () => {
    for (const [hex, type] of [
      ['89504e470d0a1a0a00', 'image/png'],
      ['ffd8ffe000', 'image/jpeg'],
      ['52494646000000005745425056503820', 'image/webp'],
      ['474946383961', 'image/gif'],
    ] as const) {
      const bytes = Buffer.from(hex, 'hex');
      const chunks = [bytes.subarray(0, 3), bytes.subarray(3)];
      const network = createNetwork({ 'https://a.example/x.png': { chunks } });
      assert.deepEqual(await fetchFrom(network), { type, bytes });
      assert.equal(network.closed, 1);
    }
  });

  it('refuses what is no image: pages, scripts, SVG, nothing', async () => {
    for (const text of ['<html>', '<svg xmlns="http://www.w3.org/2000/svg"/>', 'alert(1)', '']) {
      const network = createNetwork({ 'https://a.example/x.png': { chunks: [Buffer.from(text)] } });
      await assert.rejects(fetchFrom(network), FetchRefusedError, text);
    }
  });

  it('stops reading what is too large', async () => {
    let read = 0;
    const network = createNetwork({});
    const sendGet: SendGet = async () => ({
      ...{ status: 200, location: null, etag: null, close: () => undefined },
      body: (async function* () {
        for (;;) {
          read += PNG.length;
          yield PNG;
        }
      })(),
    });
    await assert.rejects(fetchFrom({ ...network, sendGet }), FetchRefusedError);
    assert.ok(read <= LOGO_BYTES_MAX + 2 * PNG.length, `${read} bytes`);
  });

  it('follows a few redirects, each checked like the first', async () => {
    const network = createNetwork({
      'https://a.example/x.png': { status: 302, location: '/y.png' },
      'https://a.example/y.png': { status: 301, location: 'https://b.example/z.png' },
      'https://b.example/z.png': { chunks: [PNG] },
    });
    assert.equal((await fetchFrom(network)).type, 'image/png');
    assert.equal(network.closed, 3);
    for (const location of ['http://b.example/z.png', 'https://u:p@b.example/', 'file:///x']) {
      const away = createNetwork({ 'https://a.example/x.png': { status: 302, location } });
      await assert.rejects(fetchFrom(away), FetchRefusedError, location);
      assert.equal(away.asked.length, 1);
    }
    const round = { status: 302, location: 'https://a.example/x.png' };
    const endless = createNetwork({ 'https://a.example/x.png': round });
    await assert.rejects(fetchFrom(endless), FetchRefusedError);
    assert.equal(endless.asked.length, 4);
  });

  it('tells what is missing for good from what may come back', async () => {
    for (const [status, isRefused] of [
      ...([404, 410, 415] as const).map((one) => [one, true] as const),
      ...([401, 403, 429, 500, 503, 408] as const).map((one) => [one, false] as const),
    ]) {
      const network = createNetwork({ 'https://a.example/x.png': { status } });
      await assert.rejects(fetchFrom(network), (error) => {
        assert.equal(error instanceof FetchRefusedError, isRefused, String(status));
        return true;
      });
    }
  });

  it('refuses other schemes and credentials before anything is asked', async () => {
    for (const url of ['http://a.example/', 'ftp://a.example/', 'https://u:p@a.example/', 'x']) {
      const network = createNetwork({});
      await assert.rejects(fetchFrom(network, url), FetchRefusedError, url);
      assert.deepEqual(network.asked, []);
    }
  });

  it('connects to no private address, given or by name', async () => {
    for (const host of [
      ...['127.0.0.1', '127.1', '0x7f000001', '2130706433', '10.0.0.1', '192.168.0.1'],
      ...['169.254.169.254', '[::1]', '[::ffff:127.0.0.1]', '[fd00::1]', '0.0.0.0', 'localhost'],
    ]) {
      await assert.rejects(
        fetchLogo(`https://${host}:9/x.png`, { signal }),
        FetchRefusedError,
        host,
      );
    }
  });
});
