import { newConflict } from '@coxswain/apimachinery/errors';
import { GroupResource } from '@coxswain/apimachinery/meta';
import { FakeTransport } from '@coxswain/client/testing';
import { expect, it } from 'vitest';
import { CycleState } from '../../framework/cycle-state.ts';
import { PodInfo } from '../../framework/pod-info.ts';
import { fakeHandle } from '../fake-handle.test-data.ts';
import { defaultBinder } from './index.ts';

const pod = new PodInfo({ metadata: { name: 'web', namespace: 'shop', uid: 'u1' } });
const bind = (transport: FakeTransport, signal = new AbortController().signal) =>
  defaultBinder.create(undefined, fakeHandle({ transport })).bind?.(new CycleState(), pod, 'n1', signal);

it('posts a binding with the pod’s UID', async () => {
  const transport = new FakeTransport();
  transport.prependReactor('create', 'pods/binding', () => ({ apiVersion: 'v1', kind: 'Status', status: 'Success' }));
  expect(await bind(transport)).toBeUndefined();
  expect(transport.actions).toMatchObject([
    {
      verb: 'create',
      subresource: 'binding',
      namespace: 'shop',
      name: 'web',
      object: {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { name: 'web', namespace: 'shop', uid: 'u1' },
        target: { kind: 'Node', name: 'n1' },
      },
    },
  ]);
});

it('returns the server’s error when the binding is refused', async () => {
  const transport = new FakeTransport();
  transport.prependReactor('create', 'pods/binding', () => {
    throw newConflict(
      GroupResource.of('', 'pods/binding'),
      'web',
      new Error('pod web is already assigned to node "n2"'),
    );
  });
  const status = await bind(transport);
  expect(status?.code).toBe('Error');
  expect(status?.message).toContain('pod web is already assigned to node "n2"');
});

it('returns an error when the signal is aborted', async () => {
  const transport = new FakeTransport();
  expect(await bind(transport, AbortSignal.abort(new Error('enough')))).toMatchObject({ code: 'Error' });
  expect(transport.actions).toEqual([]);
});
