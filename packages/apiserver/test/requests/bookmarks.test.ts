import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiServer } from '../../src/server/api-server.ts';
import { type Caller, inProcessCaller } from './caller.ts';
import { EventReader } from './event-reader.ts';
import { asMetadata, asTable } from './headers.ts';
import { startTestServer, tokens } from './test-server.ts';

/*
 * The recorded server had no initial events, because its etcd does not support progress requests. The expectations here are its
 * later bookmarks, with the annotation of KEP-3157 for the first one.
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

describe('a watch with sendInitialEvents', () => {
  it('gets the existing objects, and a bookmark that marks their end', async () => {
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

  it('gets the bookmark as a Table', async () => {
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

  it('gets the bookmark as PartialObjectMetadata', async () => {
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

  it('begins with the bookmark when no object is selected', async () => {
    const [bookmark] = await eventsOf(`${initial}&allowWatchBookmarks=true&labelSelector=none`, 1);
    expect(bookmark?.type).toBe('BOOKMARK');
  });
});

it('a watch without a resource version begins with the existing objects', async () => {
  const [added] = await eventsOf('', 1);
  expect(added).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'p' } } });
});
