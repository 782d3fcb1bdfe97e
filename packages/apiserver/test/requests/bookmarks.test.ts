import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiServer } from '../../src/server/api-server.ts';
import { type Caller, inProcessCaller } from './caller.ts';
import { EventReader } from './event-reader.ts';
import { asMetadata, asTable } from './headers.ts';
import { startTestServer, tokens } from './test-server.ts';

/*
 * A server over an etcd that cannot tell its progress, as the one that was recorded, has no initial events. What is expected
 * here is what it sends as later bookmarks, and the annotation that KEP-3157 has for the first.
 */
let server: ApiServer;
let call: Caller;
const path = '/api/v1/namespaces/default/pods';
const authorization = `Bearer ${tokens.admin}`;

beforeAll(async () => {
  server = await startTestServer('plain');
  call = inProcessCaller(server.transport());
  const body = Buffer.from(
    JSON.stringify({ metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } }),
  );
  const headers = { authorization, 'content-type': 'application/json' };
  await call({ method: 'POST', url: path, headers, body }, new AbortController().signal);
});
afterAll(() => server.stop());

interface Event {
  type: string;
  object: { metadata: { name?: string; resourceVersion: string }; rows?: { cells: unknown[] }[] };
}

async function eventsOf(query: string, count: number, headers: Record<string, string> = {}): Promise<Event[]> {
  const abort = new AbortController();
  const url = `${path}?watch=true&${query}`;
  const received = await call({ method: 'GET', url, headers: { authorization, ...headers } }, abort.signal);
  const events = await new EventReader(received).read(count);
  abort.abort();
  return events as Event[];
}

const initial = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan';
const annotations = { 'k8s.io/initial-events-end': 'true' };

describe('a watch that asks for initial events', () => {
  it('gets what is there, and a bookmark that says that this was all', async () => {
    const [added, bookmark] = await eventsOf(`${initial}&allowWatchBookmarks=true`, 2);
    expect(added).toMatchObject({ type: 'ADDED', object: { kind: 'Pod', metadata: { name: 'p' } } });
    expect(bookmark).toEqual({
      type: 'BOOKMARK',
      object: {
        kind: 'Pod',
        apiVersion: 'v1',
        metadata: { resourceVersion: expect.stringMatching(/^\d+$/), annotations },
        spec: { containers: null },
        status: {},
      },
    });
    expect(Number(bookmark!.object.metadata.resourceVersion)).toBeGreaterThanOrEqual(
      Number(added!.object.metadata.resourceVersion),
    );
  });

  it('gets it as a Table', async () => {
    const [, bookmark] = await eventsOf(`${initial}&allowWatchBookmarks=true`, 2, asTable);
    expect(bookmark).toMatchObject({
      type: 'BOOKMARK',
      object: {
        kind: 'Table',
        columnDefinitions: null,
        rows: [
          {
            cells: ['', '0/0', '', '0', '<unknown>', '<none>', '<none>', '<none>', '<none>'],
            object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: { annotations } },
          },
        ],
      },
    });
  });

  it('gets metadata alone', async () => {
    const [, bookmark] = await eventsOf(`${initial}&allowWatchBookmarks=true`, 2, asMetadata);
    expect(bookmark).toEqual({
      type: 'BOOKMARK',
      object: {
        kind: 'PartialObjectMetadata',
        apiVersion: 'meta.k8s.io/v1',
        metadata: { resourceVersion: expect.stringMatching(/^\d+$/), annotations },
      },
    });
  });

  it('begins with the bookmark where nothing is selected', async () => {
    const [bookmark] = await eventsOf(`${initial}&allowWatchBookmarks=true&labelSelector=none`, 1);
    expect(bookmark?.type).toBe('BOOKMARK');
  });
});

it('a watch from nowhere begins with what is there', async () => {
  const [added] = await eventsOf('', 1);
  expect(added).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'p' } } });
});
