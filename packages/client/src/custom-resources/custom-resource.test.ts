import { expect, it } from 'vitest';
import { RecordingTransport } from '../kubernetes/recording-transport.test-data.ts';
import { RESTClient } from '../rest/index.ts';
import { type CustomResource, customResource } from './index.ts';

type Backup = CustomResource<{ target: string }, { done: boolean }>;
const description = { group: 'example.com', version: 'v1', resource: 'backups', kind: 'Backup' };
const type = { apiVersion: 'example.com/v1', kind: 'Backup' };

it('addresses a namespaced resource in one namespace or in all', async () => {
  const transport = new RecordingTransport();
  const backups = customResource<Backup>(new RESTClient(transport), { ...description, namespaced: true });
  await backups('ns').get('b');
  expect(transport.last().request).toBe('GET /apis/example.com/v1/namespaces/ns/backups/b');
  await backups().list({ labelSelector: 'a=b' });
  expect(transport.last().request).toBe('GET /apis/example.com/v1/backups?labelSelector=a%3Db');
  expect(backups('ns').resource).toEqual({ ...description, namespaced: true });
});

it('addresses a cluster-scoped resource, and sends objects with apiVersion and kind', async () => {
  const transport = new RecordingTransport();
  const backups = customResource<Backup>(new RESTClient(transport), { ...description, namespaced: false });
  const backup = { metadata: { name: 'b' }, spec: { target: 'x' } };
  await backups().create(backup);
  expect(transport.last()).toMatchObject({
    request: 'POST /apis/example.com/v1/backups',
    body: { ...type, ...backup },
  });
  await backups().updateStatus({ ...backup, status: { done: true } });
  expect(transport.last()).toMatchObject({
    request: 'PUT /apis/example.com/v1/backups/b/status',
    body: { ...type, ...backup, status: { done: true } },
  });
  await backups().applyStatus({ metadata: { name: 'b' }, status: { done: true } }, { fieldManager: 'me' });
  expect(transport.last()).toMatchObject({
    request: 'PATCH /apis/example.com/v1/backups/b/status?fieldManager=me',
    contentType: 'application/apply-patch+yaml',
    body: { ...type, metadata: { name: 'b' }, status: { done: true } },
  });
});
