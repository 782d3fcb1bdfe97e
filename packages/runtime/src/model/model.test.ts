import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ContainerConfig, ContainerEventResponse } from '@coxswain/cri';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Container, newContainerState } from './container.ts';
import { ContainerEvents } from './container-events.ts';
import { FoundById } from './found-by-id.ts';
import { RecordDirectory } from './record-directory.ts';
import { ReservedNames } from './reserved-names.ts';

describe('records', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'cox-records-'));
  });
  afterEach(() => rm(directory, { recursive: true }));

  it('bring a container back as it was', async () => {
    const records = new RecordDirectory(directory);
    const config = ContainerConfig.complete({
      metadata: { name: 'a' },
      envs: [{ key: 'K', value: Buffer.from([0, 255]) }],
    });
    const description = {
      id: 'id',
      sandboxId: 's',
      name: 'n',
      config,
      imageId: 'i',
      imageRef: 'r',
      stopSignal: 'SIGTERM',
      logPath: '',
      createdAt: 2n ** 60n,
      hasOwnPids: true,
    };
    const container = new Container(records, description, newContainerState);
    await container.record();
    await container.update({ phase: 'running', startedAt: 2n ** 60n + 1n });
    const read = Container.fromRecord(records, (await records.load()).get('id'));
    expect(read?.state).toEqual(container.state);
    expect({ ...read?.description, config: undefined }).toEqual({ ...description, config: undefined });
    expect(Buffer.from(read?.config.envs[0]?.value ?? [])).toEqual(Buffer.from([0, 255]));
    await container.erase();
    expect((await records.load()).size).toBe(0);
  });

  it('that a crash left half are found without their content', async () => {
    await mkdir(join(directory, 'half'));
    await writeFile(join(directory, 'half', 'record.json'), '{"version":');
    await mkdir(join(directory, 'empty'));
    const records = new RecordDirectory(directory);
    expect([...(await records.load())].sort()).toEqual([
      ['empty', undefined],
      ['half', undefined],
    ]);
    expect(Container.fromRecord(records, undefined)).toBeUndefined();
  });
});

it('an id may be shortened while it is unique', () => {
  const items = new FoundById<string>('sandbox');
  items.add('abc1', 'first');
  items.add('abd2', 'second');
  expect(items.get('abc')).toBe('first');
  expect(items.find('ab')).toBeUndefined();
  expect(items.find('')).toBeUndefined();
  expect(() => items.get('x')).toThrow(
    'code = NotFound desc = an error occurred when try to find sandbox "x": not found',
  );
});

it('a name belongs to one id until that releases it', () => {
  const names = new ReservedNames();
  names.reserve('web', 'a');
  names.reserve('web', 'a');
  expect(() => names.reserve('web', 'b')).toThrow('name "web" is reserved for "a"');
  names.release('web', 'b');
  expect(() => names.reserve('web', 'b')).toThrow('reserved');
  names.release('web', 'a');
  names.reserve('web', 'b');
});

it('a listener that does not keep up is told so', async () => {
  const events = new ContainerEvents();
  const stop = new AbortController();
  const listener = events.listen(stop.signal);
  const first = listener.next();
  for (let count = 0; count < 1002; count++)
    events.publish(ContainerEventResponse.complete({ containerId: String(count) }));
  expect((await first).value?.containerId).toBe('0');
  let seen = 1;
  await expect(
    (async () => {
      for await (const _ of listener) seen++;
    })(),
  ).rejects.toThrow('ResourceExhausted');
  expect(seen).toBe(1000);
  expect(events.hasListeners).toBe(false);
});
