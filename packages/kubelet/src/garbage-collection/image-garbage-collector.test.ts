import { statfsSync } from 'node:fs';
import { recordLogs } from '@coxswain/apimachinery/log';
import type { EventRecorder } from '@coxswain/client';
import type { Image } from '@coxswain/cri';
import type { Init } from '@coxswain/grpc/protobuf';
import { beforeEach, describe, expect, it } from 'vitest';
import { ScriptedRuntime } from '../logs/scripted-runtime.test-data.ts';
import { KubeRuntime } from '../runtime/kube-runtime.ts';
import { defaultRuntimeSettings } from '../runtime/runtime-settings.ts';
import { formatSize } from './format-size.ts';
import { ImageGarbageCollector, type ImageGarbageCollectorOptions } from './image-garbage-collector.ts';

let runtime: ScriptedRuntime;
let events: string[];
/** Of 1000 bytes. */
let availableBytes: number;
const recorded = recordLogs();
const { signal } = new AbortController();
const minuteMs = 60_000;

beforeEach(() => {
  runtime = new ScriptedRuntime();
  events = [];
  availableBytes = 1000;
  recorded.clear();
});

function collector(options: Partial<ImageGarbageCollectorOptions> = {}): ImageGarbageCollector {
  const { clock, cri } = runtime;
  const recorder: Pick<EventRecorder, 'event'> = {
    event: (subject, type, reason, message) =>
      events.push(`${subject.kind}/${'name' in subject ? subject.name : ''} ${type} ${reason}: ${message}`),
  };
  return new ImageGarbageCollector({
    runtime: new KubeRuntime({
      cri,
      machine: { logs: { read: async function* () {} }, terminationMessage: async () => undefined },
      settings: defaultRuntimeSettings,
      clock,
    }),
    nodeName: 'n1',
    clock,
    logger: recorded.logger,
    recorder: { annotatedEvent: () => {}, ...recorder },
    fileSystem: async () => ({ capacityBytes: 1000, availableBytes }),
    ...options,
  });
}

const image = (id: string, more: Init<Image> = {}): Init<Image> => ({ id, size: 30, ...more });

/** Adds a container that was made of an image. It has ended, which makes no difference. */
const use = (imageId: string): void => {
  runtime.container(`of-${imageId}`, { state: 'CONTAINER_EXITED', about: { imageId } });
};

/** Makes the collector see the images, and then lets them become old enough. */
async function seen(collecting: ImageGarbageCollector): Promise<ImageGarbageCollector> {
  await collecting.collect(signal);
  await runtime.clock.advance(3 * minuteMs);
  return collecting;
}

describe('while the disk is not full', () => {
  it('images are kept', async () => {
    runtime.images = [image('a')];
    availableBytes = 160;
    await (await seen(collector())).collect(signal);
    expect(runtime.changes).toEqual([]);
  });

  it('images go that were not used for longer than the maximum age, since they were used or found', async () => {
    runtime.images = [image('used'), image('unused')];
    use('used');
    const collecting = collector({ policy: { maxAgeMs: 10 * minuteMs } });
    await collecting.collect(signal);
    await runtime.clock.advance(10 * minuteMs);
    runtime.images = [...runtime.images, image('new')];
    await collecting.collect(signal);
    expect(runtime.changes).toEqual([]);
    runtime.containers.clear();
    await runtime.clock.advance(minuteMs);
    await collecting.collect(signal);
    expect(runtime.changes).toEqual(['removeImage unused']);
    await runtime.clock.advance(9 * minuteMs + 1);
    await collecting.collect(signal);
    expect(runtime.changes).toEqual(['removeImage unused', 'removeImage new', 'removeImage used']);
  });
});

describe('when the disk is full', () => {
  const fill = async (options: Partial<ImageGarbageCollectorOptions> = {}): Promise<ImageGarbageCollector> => {
    const collecting = await seen(collector(options));
    availableBytes = 150;
    return collecting;
  };

  it('images go until it is as empty as it should be, those first that were not used for the longest time', async () => {
    runtime.images = [image('c'), image('b'), image('a')];
    for (const id of ['c', 'b']) use(id);
    const collecting = collector();
    await seen(collecting);
    runtime.containers.delete('of-b');
    await seen(collecting);
    runtime.containers.clear();
    availableBytes = 150;
    await collecting.collect(signal);
    // 50 bytes must become free, and each has 30.
    expect(runtime.changes).toEqual(['removeImage a', 'removeImage b']);
    expect(events).toEqual([]);
  });

  it('of images that were not used, those go first that are there for the longest time', async () => {
    runtime.images = [image('b')];
    const collecting = await seen(collector());
    runtime.images = [image('c'), image('b')];
    await seen(collecting);
    availableBytes = 180;
    await collecting.collect(signal);
    expect(runtime.changes).toEqual([]);
    availableBytes = 150;
    await collecting.collect(signal);
    expect(runtime.changes).toEqual(['removeImage b', 'removeImage c']);
  });

  it('images are kept that are pinned, in use, mounted, those of sandboxes, and young ones', async () => {
    runtime.images = [
      image('pinned', { pinned: true }),
      image('by-id'),
      image('by-ref', { repoDigests: ['web@sha256:1'] }),
      image('mounted'),
      image('sandbox', { repoTags: ['pause:3.10'] }),
      image('free'),
    ];
    use('by-id');
    runtime.container('old-runtime', {
      about: { imageRef: 'web@sha256:1' },
      mounts: [{ image: { image: 'mounted' } }],
    });
    runtime.info = { config: JSON.stringify({ sandboxImage: 'pause:3.10' }) };
    const collecting = await fill();
    runtime.images = [...runtime.images, image('young')];
    await expect(collecting.collect(signal)).rejects.toThrow('Insufficient free disk space');
    expect(runtime.changes).toEqual(['removeImage free']);
  });

  it('and too little can be freed, that is told', async () => {
    runtime.images = [image('a')];
    const capacityBytes = 3 * 2 ** 30;
    const collecting = await fill({
      fileSystem: async () => ({ capacityBytes, availableBytes: availableBytes === 1000 ? capacityBytes : 2 ** 28 }),
    });
    const message =
      "Insufficient free disk space on the node's image filesystem (92% of 3.0 GiB used). Failed to free sufficient space by deleting " +
      'unused images (freed 30 bytes). Investigate disk usage, as it could be used by active images, logs, volumes, or other data.';
    await expect(collecting.collect(signal)).rejects.toThrow(message);
    expect(events.at(-1)).toBe(`Node/n1 Warning FreeDiskSpaceFailed: ${message}`);
  });

  it('and an image cannot be removed, the others are, and that is told', async () => {
    runtime.images = [image('a'), image('b')];
    runtime.failing.set('removeImage', 'Internal');
    await expect((await fill()).collect(signal)).rejects.toThrow(
      'wanted to free 50 bytes, but freed 0 bytes space with errors in image deletion: rpc error: code = Internal desc = removeImage was told to fail',
    );
  });

  it('an image goes by the runtime handler for which it was pulled', async () => {
    const handlers: string[] = [];
    runtime.images = [image('a', { size: 50, spec: { runtimeHandler: 'gvisor' } })];
    runtime.onRemoveImage = ({ runtimeHandler }) => handlers.push(runtimeHandler);
    await (await fill()).collect(signal);
    expect(handlers).toEqual(['gvisor']);
  });
});

it('all unused images can be removed, however empty the disk is', async () => {
  runtime.images = [image('a'), image('b'), image('c')];
  use('b');
  await (await seen(collector())).deleteUnusedImages(signal);
  expect(runtime.changes).toEqual(['removeImage a', 'removeImage c']);
});

it('a runtime may tell about itself what it wants', async () => {
  runtime.images = [image('a')];
  const collecting = collector({ policy: { minAgeMs: 0 } });
  for (const config of ['', 'no JSON', 'null', '{}', '{"sandboxImage":1}']) {
    runtime.info = { config };
    await collecting.collect(signal);
  }
  runtime.info = {};
  await collecting.deleteUnusedImages(signal);
  expect(runtime.changes).toEqual(['removeImage a']);
});

it('a container that goes away in the meantime does not hinder', async () => {
  runtime.container('c1', { about: { imageId: 'a' } });
  runtime.failing.set('containerStatus', 'NotFound');
  await collector().collect(signal);
  runtime.failing.set('containerStatus', 'Unknown');
  await expect(collector().collect(signal)).rejects.toThrow('get container status: rpc error: code = Unknown');
});

it('without another source, the use of the disk is that of the file system with the images', async () => {
  runtime.images = [image('a')];
  const collecting = collector({ fileSystem: undefined, policy: { highThresholdPercent: 0, lowThresholdPercent: 0 } });
  const { blocks, bsize } = statfsSync('/tmp');
  runtime.mountpoint = '/tmp';
  await expect(collecting.collect(signal)).rejects.toThrow(`of ${formatSize(blocks * bsize)} used`);
  runtime.mountpoint = '';
  await expect(collecting.collect(signal)).rejects.toThrow('imageFs information is unavailable');
});

it('failures are told by an event from the second in a row on', async () => {
  const stop = new AbortController();
  const running = collector({ fileSystem: async () => ({ capacityBytes: 0, availableBytes: 0 }) }).run(stop.signal);
  const invalid = 'Node/n1 Warning InvalidDiskCapacity: invalid capacity 0 on image filesystem';
  await runtime.clock.advance(0);
  expect(events).toEqual([invalid]);
  await runtime.clock.advance(5 * minuteMs);
  expect(events).toEqual([invalid, invalid, 'Node/n1 Warning ImageGCFailed: invalid capacity 0 on image filesystem']);
  expect(recorded.lines.map((line) => line.split(' err=')[0])).toEqual([
    'error "Image garbage collection failed once. Stats initialization may not have completed yet"',
    'error "Image garbage collection failed multiple times in a row"',
  ]);
  stop.abort();
  await running;
});

it('a threshold of 100 without a maximum age turns it off', async () => {
  runtime.failing.set('listContainers', 'Unavailable');
  await collector({ policy: { highThresholdPercent: 100 } }).run(signal);
  expect(recorded.lines).toEqual([]);
});

it.each([
  [{ highThresholdPercent: 101 }, 'invalid HighThresholdPercent 101, must be in range [0-100]'],
  [{ lowThresholdPercent: -1 }, 'invalid LowThresholdPercent -1, must be in range [0-100]'],
  [{ highThresholdPercent: 70 }, 'LowThresholdPercent 80 can not be higher than HighThresholdPercent 70'],
])('thresholds that make no sense are refused: %j', (policy, message) => {
  expect(() => collector({ policy })).toThrow(message);
});
