import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeClock, silentLogger } from '@coxswain/client';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { PullRecords } from './pull-records.ts';
import { PulledImages } from './pulled-images.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'cox-pulled-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

it('an image that many pods pull at the same time has one intent, until the last pull has ended', async () => {
  const records = new PullRecords(directory);
  const images = new PulledImages({
    records,
    verification: { policy: 'NeverVerifyPreloadedImages', allowlist: [] },
    images: { listImages: async () => ({ images: [] }) },
    clock: new FakeClock(),
    logger: silentLogger,
  });
  const image = 'registry.example/web:1';
  const pods = Array.from({ length: 20 }, (_, i) => i);
  await Promise.all(pods.map(() => images.pulling(image)));
  expect(await records.intents()).toEqual([image]);
  await Promise.all(
    pods.slice(1).map((i) => (i % 2 ? images.failed(image) : images.pulled(image, 'sha256:1', undefined))),
  );
  expect(await records.intents()).toEqual([image]);
  await images.failed(image);
  expect(await records.intents()).toEqual([]);
  expect(await records.record('sha256:1')).toMatchObject({ imageRef: 'sha256:1' });
});
