// Era files in a folder and at a URL, and another node as an archive: real blocks, proved.

import assert from 'node:assert/strict';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import {
  ARCHIVE_FIXTURES,
  readArchiveFixture,
  readPortalLine,
  skipWithoutArchives as skip,
} from '../../../../test/archive-fixtures.ts';
import { endScene, recordChain, startNode } from '../../../../test/fakes/chain-scene.ts';
import { proveChain } from '../../../../test/fakes/proved-chain.ts';
import { systemClock } from '../../../lib/clock.ts';
import { sleep } from '../../../lib/retry.ts';
import type { ArchivePlace } from '../../../model/archive-place.ts';
import { RpcClient } from '../../rpc/rpc-client.ts';
import { createEvmDialect } from '../rpc/evm-dialect.ts';
import type { ArchivedBlock } from './archived-block.ts';
import { EraFolderSource, EraUrlSource } from './era-source.ts';
import { openArchives } from './open-archives.ts';
import { parsePortalBlock } from './parse-portal-block.ts';
import { proveBlock } from './prove-block.ts';
import { recoverSenders } from './recover-senders.ts';
import { toEvmBlocks } from './to-evm-blocks.ts';

const ERA1 = 'mainnet-cut16-90cd71a4.era1';
const ERE = 'mainnet-one-95b198e1-noproofs.ere';
const NEVER = new AbortController().signal;

async function withFolder(names: readonly string[], work: (folder: string) => Promise<void>) {
  const folder = await mkdtemp(join(tmpdir(), 'mintwire-era-test-'));
  try {
    for (const name of names) {
      await copyFile(new URL(`era/${name}`, ARCHIVE_FIXTURES), join(folder, name));
    }
    await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function collect(blocks: AsyncIterable<ArchivedBlock>): Promise<ArchivedBlock[]> {
  const all: ArchivedBlock[] = [];
  for await (const block of blocks) all.push(block);
  return all;
}

describe('era files', { skip }, () => {
  test('the first blocks of Ethereum link and are proved', async () => {
    await withFolder([ERA1, ERE], async (folder) => {
      const range = { fromBlock: 3, toBlock: 100 };
      const blocks = await collect(new EraFolderSource(folder).read(range, NEVER));
      assert.deepEqual(
        blocks.map(({ header }) => header.position),
        Array.from({ length: 13 }, (_, index) => index + 3),
      );
      for (const [index, block] of blocks.entries()) {
        assert.deepEqual(proveBlock(block), { kind: 'proved' });
        const parent = blocks[index - 1]?.header.hash ?? block.header.parentHash;
        assert.equal(block.header.parentHash, parent);
      }
    });
  });

  test('an ere file gives what the Portal gives, with senders by their signatures', async () => {
    await withFolder([ERA1, ERE], async (folder) => {
      const range = { fromBlock: 18_000_000, toBlock: 18_000_000 };
      const [block] = await collect(new EraFolderSource(folder).read(range, NEVER));
      const expected = parsePortalBlock(readPortalLine('ethereum-18000000.ndjson'));
      assert.deepEqual(proveBlock(block!), { kind: 'proved' });
      const own = toEvmBlocks({ blocks: [block!] });
      const other = toEvmBlocks({ blocks: [expected] });
      assert.deepEqual(own.logs, other.logs);
      assert.deepEqual(own.blocks[0]!.header, other.blocks[0]!.header);
      assert.deepEqual(own.blocks[0]!.txHashes, other.blocks[0]!.txHashes);
      const senders = await recoverSenders(own.blocks[0]!.txHashes, own.signed);
      assert.equal(senders.size, 94);
      assert.deepEqual(senders, other.blocks[0]!.senders);
    });
  });

  test('a changed transaction, a cut file and a file that is none are malformed', async () => {
    const file = readArchiveFixture(`era/${ERE}`);
    const changed = Buffer.from(file);
    // Within the body, whose frames are not compressed.
    const at = file.indexOf(
      Buffer.from('16d5783a96ab20c9157d7933ac236646b29589a4', 'hex').subarray(0, 3),
    );
    const place = at === -1 ? Math.floor(file.length / 4) : at;
    changed[place] = changed[place]! ^ 1;
    for (const bytes of [changed, file.subarray(0, -100), Buffer.alloc(5000)]) {
      await withFolder([], async (folder) => {
        await writeFile(join(folder, ERE), bytes);
        const range = { fromBlock: 18_000_000, toBlock: 18_000_000 };
        await assert.rejects(collect(new EraFolderSource(folder).read(range, NEVER)), {
          kind: 'wrong',
        });
      });
    }
  });

  test('a folder without the block has none, a missing one is refused', async () => {
    await withFolder([ERA1], async (folder) => {
      const range = { fromBlock: 50, toBlock: 60 };
      assert.deepEqual(await collect(new EraFolderSource(folder).read(range, NEVER)), []);
      const missing = new EraFolderSource(join(folder, 'none'));
      await assert.rejects(collect(missing.read(range, NEVER)), { kind: 'refused' });
    });
  });

  test('at a URL, a file is found by its number and removed afterwards', async () => {
    const file = readArchiveFixture(`era/${ERA1}`);
    const name = 'mainnet-00000-90cd71a4.era1';
    let isBroken = false;
    const server = createServer((request, response) => {
      if (request.url === '/era1/') response.end(`<a href="${name}">${name}</a>`);
      else if (request.url === `/era1/${name}` && !isBroken) response.end(file);
      else response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = server.address() as AddressInfo;
      const read = (fromBlock: number) => {
        const source = new EraUrlSource(`http://127.0.0.1:${port}/era1`);
        return collect(source.read({ fromBlock, toBlock: 15 }, NEVER));
      };
      const blocks = await read(2);
      assert.equal(blocks.length, 14);
      assert.ok(blocks.every((block) => proveBlock(block).kind === 'proved'));
      isBroken = true;
      await assert.rejects(read(2), { kind: 'failed' });
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});

test('another node is an archive like any other: proved, or used no more', async () => {
  const { lines, answer } = proveChain(recordChain());
  const own = await startNode(answer);
  const other = await startNode(answer);
  const parts = { clock: systemClock, random: () => 0.5, sleep };
  const log = { info: () => {}, warn: () => {} };
  const limits = {
    ...{ timeoutMs: 5000, replyBytesMax: 1e8, batchCallsMax: 50, batchesMax: 2 },
    chainCheckMs: 60_000,
  };
  const dialect = createEvmDialect(1337);
  const client = new RpcClient({
    ...parts,
    log,
    limits,
    dialect,
    budgetMs: 5000,
    endpoints: [own.url],
  });
  const open = () => {
    const places: readonly ArchivePlace[] = [{ kind: 'rpc', place: other.url }];
    return openArchives({ places, samplePct: 2 }, { ...parts, client, chainId: 1337, log })!;
  };
  const first = open();
  const second = open();
  try {
    const reading = await first.read({ fromBlock: 10, toBlock: 50 });
    assert.equal(reading?.isProved, true);
    assert.deepEqual(
      reading?.blocks.map(({ header }) => header.hash),
      lines.slice(10, 51).map(({ header }) => header.hash),
    );
    other.misbehave(({ method }) =>
      method === 'eth_getBlockReceipts' ? { do: 'change', change: () => [] } : null,
    );
    assert.equal(await second.read({ fromBlock: 10, toBlock: 50 }), null);
    assert.match(second.listLimitations().join(), /false data/);
  } finally {
    first.close();
    second.close();
    client.close();
    await endScene();
  }
});
