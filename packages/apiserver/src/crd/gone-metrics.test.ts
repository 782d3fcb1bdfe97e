import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atsUrl, definitionOf, definitionsUrl, TestApi, versionOf } from './custom-resources.test-data.ts';

let api: TestApi;
beforeAll(async () => {
  api = await TestApi.start();
});
afterAll(() => api.server.stop());

const metricsOf = async (group: string): Promise<string[]> => {
  const { body } = await api.raw('GET', '/metrics');
  const lines = Buffer.from(body as Uint8Array)
    .toString()
    .split('\n');
  return lines.filter((line) => line.includes(group));
};
const define = (group: string) =>
  api.define(definitionOf(group, [versionOf('v1', true, 'a'), versionOf('v2', false, 'a')]));
const gone = async (group: string): Promise<void> => {
  await api.send('DELETE', `${definitionsUrl}/ats.${group}`);
  await api.until(`${definitionsUrl}/ats.${group}`, ({ code }) => code === 404);
};

describe('metrics of a custom resource', () => {
  it('are removed with its definition', async () => {
    const group = 'gone.dev';
    await define(group);
    const next = await api.watch(atsUrl(group, 'v1'));
    const at = { apiVersion: `${group}/v1`, kind: 'At', metadata: { name: 'a' }, spec: { a: 'x' } };
    await api.send('POST', atsUrl(group, 'v1'), at);
    await api.send('GET', atsUrl(group, 'v2', 'a'));
    await api.send('GET', atsUrl(group, 'v1'));
    await next();
    const names = new Set((await metricsOf(group)).map((line) => line.replace(/\{.*/, '')));
    for (const name of [
      'apiserver_request_total',
      'apiserver_request_duration_seconds_bucket',
      'apiserver_watch_events_total',
      'apiserver_resource_objects',
      'apiserver_storage_objects',
    ])
      expect(names).toContain(name);
    await gone(group);
    // The watch reports the deletion of the object, and ends.
    while ((await next()) !== null);
    expect(await metricsOf(group)).toEqual([]);
  });

  it('do not reappear when a watch closes after the definition was removed', async () => {
    const group = 'late.dev';
    await define(group);
    const { body } = await api.raw('GET', `${atsUrl(group, 'v1')}?watch=1`);
    if (!body || !('stream' in body)) throw new Error('no watch');
    const onClose: (() => void)[] = [];
    const sink = { pendingBytes: 0, write: () => true, onDrain: () => {}, end: () => {}, destroy: () => {} };
    body.stream({ ...sink, onClose: (callback) => onClose.push(callback) });
    await gone(group);
    for (const callback of onClose) callback();
    expect(await metricsOf(group)).toEqual([]);
  });

  it('start from zero with a new definition of the same name', async () => {
    const group = 'again.dev';
    await define(group);
    await api.send('GET', atsUrl(group, 'v1'));
    await gone(group);
    await define(group);
    await api.send('GET', atsUrl(group, 'v1'));
    const counts = (await metricsOf(group)).filter((line) => line.startsWith('apiserver_request_total'));
    expect(counts).toEqual([expect.stringMatching(/verb="LIST".* 1$/)]);
  });

  it('of the same resource name in other groups stay', async () => {
    await define('stays.dev');
    await define('goes.dev');
    for (const group of ['stays.dev', 'goes.dev']) await api.send('GET', atsUrl(group, 'v1'));
    await gone('goes.dev');
    await api.send('GET', atsUrl('stays.dev', 'v1'));
    const counts = (await metricsOf('stays.dev')).filter((line) => line.startsWith('apiserver_request_total'));
    expect(counts).toEqual([expect.stringMatching(/verb="LIST".* 2$/)]);
  });
});
