import { FakeClock } from '@coxswain/apimachinery/clock';
import { seededRandom } from '@coxswain/apimachinery/random';
import { CountingEventLoop } from '@coxswain/apimachinery/turns';
import { openMemoryStore } from '@coxswain/storage';
import { expect, it } from 'vitest';
import { startApiServer } from '../src/index.ts';

/** Returns everything stored after some requests: key, revision, uid and time of each object, in the order of the keys. */
async function storedWith(seed: number): Promise<string[]> {
  const clock = new FakeClock();
  const eventLoop = new CountingEventLoop();
  const store = openMemoryStore({ clock, eventLoop });
  const server = await startApiServer({ memory: true }, { store, clock, eventLoop, random: seededRandom(seed) });
  const call = server.transport({ username: 'admin', groups: ['system:masters'] });
  const post = async (path: string, object: object): Promise<void> => {
    const headers = { 'content-type': 'application/json' };
    const { status } = await call({ method: 'POST', url: path, headers, body: Buffer.from(JSON.stringify(object)) });
    expect(status).toBe(201);
  };
  const metadata = { generateName: 'some-', namespace: 'default' };
  const large = Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`key-${i}`, 'x'.repeat(20)]));
  await Promise.all([
    post('/api/v1/namespaces/default/configmaps', { metadata, data: large }),
    ...Array.from({ length: 5 }, () => post('/api/v1/namespaces/default/configmaps', { metadata })),
    post('/api/v1/namespaces/default/services', { metadata: { name: 'web' }, spec: { ports: [{ port: 80 }] } }),
    post('/api/v1/namespaces/default/events', { metadata, involvedObject: { namespace: 'default' }, reason: 'A' }),
  ]);
  const list = async (): Promise<string[]> => {
    const { entries } = await store.list('/registry/');
    return entries.map(({ key, modRevision, value }) => {
      const text = new TextDecoder().decode(value);
      const [, uid] = /"uid":"([^"]*)"/.exec(text) ?? [];
      const [, ip] = /"clusterIP":"([^"]*)"/.exec(text) ?? [];
      return [key, modRevision, uid, ip].join(' ');
    });
  };
  const before = await list();
  const events = (lines: readonly string[]): number => lines.filter((line) => line.includes('/events/')).length;
  expect(events(before)).toBe(1);
  await clock.advance(3_600_000);
  expect(events(await list())).toBe(0);
  await server.stop();
  return before;
}

it('with the same seed and a fake clock, all objects get the same names, uids, addresses and revisions', async () => {
  const first = await storedWith(1);
  expect(await storedWith(1)).toEqual(first);
  expect(await storedWith(2)).not.toEqual(first);
});
