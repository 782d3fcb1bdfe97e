import type { Container, Pod, PodSpec } from '@coxswain/api/core/v1';
import { expect, it } from 'vitest';
import { containerHash } from '../runtime/container-hash.ts';
import type { RuntimeContainer, RuntimePod } from '../runtime/runtime-pod.ts';
import { type PodActions, podActions } from './pod-actions.ts';

const image = 'i';
const init = (name: string): Container => ({ name, image });
const sidecar = (name: string): Container => ({ name, image, restartPolicy: 'Always' });

type Text = 'running' | 'created' | `ended ${number}`;

interface Case {
  readonly restartPolicy?: PodSpec['restartPolicy'];
  readonly inits?: readonly Container[];
  readonly mains?: readonly Container[];
  /** The containers that the runtime has, by name. */
  readonly has?: Readonly<Record<string, Text>>;
  /** Undefined if the pod has no sandbox. */
  readonly sandbox?: 'ready' | 'stopped' | undefined;
  readonly failing?: string;
  readonly notStarted?: string;
  readonly change?: Partial<RuntimeContainer>;
}

function containerOf(name: string, text: Text, change: Partial<RuntimeContainer> = {}): RuntimeContainer {
  const exitCode = Number(text.split(' ')[1] ?? 0);
  const state = text === 'running' ? 'Running' : text === 'created' ? 'Created' : 'Exited';
  return {
    ...{
      id: name,
      name,
      sandboxId: 's',
      restartCount: 0,
      image,
      imageRef: '',
      state,
      exitCode,
      reason: '',
      message: '',
    },
    ...{ hash: containerHash({ name, image }), user: undefined },
    ...{ createdAtMs: 0, startedAtMs: 0, finishedAtMs: 0, resources: undefined },
    ...change,
  };
}

/** Returns a short text for the actions. */
function brief(actions: PodActions): string {
  const names = (label: string, list: readonly { readonly name: string }[]): string[] =>
    list.length > 0 ? [`${label} ${list.map(({ name }) => name).join(' ')}`] : [];
  return [
    ...(actions.killPod ? ['kill pod'] : []),
    ...(actions.createSandbox ? [`sandbox ${actions.attempt}`] : []),
    ...actions.containersToKill.map(({ message }) => message),
    ...names('start inits', actions.initContainersToStart),
    ...names('start', actions.containersToStart),
  ].join('; ');
}

it.each<[string, Case, string]>([
  ['a new pod', { sandbox: undefined }, 'kill pod; sandbox 0; start web'],
  [
    'a new pod with init containers',
    { sandbox: undefined, inits: [init('a'), init('b')] },
    'kill pod; sandbox 0; start inits a',
  ],
  ['all containers run', { has: { web: 'running' } }, ''],
  ['one has ended', { has: { web: 'ended 1' } }, 'start web'],
  ['one has ended, Never', { restartPolicy: 'Never', has: { web: 'ended 1' } }, 'kill pod'],
  ['one failed, OnFailure', { restartPolicy: 'OnFailure', has: { web: 'ended 1' } }, 'start web'],
  ['one succeeded, OnFailure', { restartPolicy: 'OnFailure', has: { web: 'ended 0' } }, 'kill pod'],
  [
    'one of two has ended, Never',
    { restartPolicy: 'Never', mains: [init('web'), init('db')], has: { web: 'ended 0', db: 'running' } },
    '',
  ],
  ['one was created and not started', { has: { web: 'created' } }, 'start web'],
  ['the sandbox has stopped', { sandbox: 'stopped', has: { web: 'running' } }, 'kill pod; sandbox 4; start web'],
  [
    'the sandbox of a pod that ran has stopped, Never',
    { sandbox: 'stopped', restartPolicy: 'Never', has: { web: 'ended 1' } },
    'kill pod',
  ],
  [
    'the sandbox of a pod that succeeded has stopped',
    { sandbox: 'stopped', restartPolicy: 'OnFailure', has: { web: 'ended 0' } },
    'kill pod',
  ],
  [
    'a liveness probe fails',
    { has: { web: 'running' }, failing: 'web' },
    'Container web failed liveness probe, will be restarted; start web',
  ],
  [
    'a liveness probe fails, Never',
    { restartPolicy: 'Never', has: { web: 'running' }, failing: 'web' },
    'kill pod; Container web failed liveness probe',
  ],
  [
    'the image has changed',
    { has: { web: 'running' }, change: { hash: containerHash({ name: 'web', image: 'old' }) } },
    'Container web definition changed, will be restarted; start web',
  ],
  ['the first init container runs', { inits: [init('a'), init('b')], has: { a: 'running' } }, ''],
  ['the first init container succeeded', { inits: [init('a'), init('b')], has: { a: 'ended 0' } }, 'start inits b'],
  [
    'all init containers succeeded',
    { inits: [init('a'), init('b')], has: { a: 'ended 0', b: 'ended 0' } },
    'start web',
  ],
  [
    'the runtime has only the last init container',
    { inits: [init('a'), init('b')], has: { b: 'ended 0' } },
    'start web',
  ],
  ['an init container failed', { inits: [init('a')], has: { a: 'ended 1' } }, 'start inits a'],
  [
    'an init container failed, Never',
    { restartPolicy: 'Never', inits: [init('a')], has: { a: 'ended 1' } },
    'kill pod',
  ],
  ['the runtime has no init container of a running pod', { inits: [init('a')], has: { web: 'running' } }, ''],
  ['a sidecar has started', { inits: [sidecar('s'), init('a')], has: { s: 'running' } }, 'start inits a'],
  ['a sidecar has not started', { inits: [sidecar('s'), init('a')], has: { s: 'running' }, notStarted: 's' }, ''],
  ['the last sidecar has started', { inits: [sidecar('s')], has: { s: 'running' } }, 'start web'],
  [
    'a sidecar has ended while others run',
    { inits: [sidecar('s')], has: { s: 'ended 0', web: 'running' } },
    'start inits s',
  ],
  ['the runtime has no container of a sidecar', { inits: [sidecar('s')], has: { web: 'running' } }, 'start inits s'],
  [
    'a sidecar fails its liveness probe',
    { inits: [sidecar('s')], has: { s: 'running', web: 'running' }, failing: 's' },
    'Init container s failed liveness probe; start inits s',
  ],
  [
    'only sidecars run',
    { restartPolicy: 'Never', inits: [sidecar('s')], has: { s: 'running', web: 'ended 0' } },
    'kill pod',
  ],
])('%s', (_, { restartPolicy = 'Always', inits = [], mains = [init('web')], has = {}, ...rest }, expected) => {
  const { failing, notStarted, change } = rest;
  const sandbox = 'sandbox' in rest ? rest.sandbox : 'ready';
  const pod: Pod = {
    metadata: { name: 'p' },
    spec: { restartPolicy, initContainers: [...inits], containers: [...mains] },
  };
  const runtimePod: RuntimePod = {
    ...{ uid: 'u', name: 'p', namespace: 'ns' },
    sandboxes: sandbox ? [{ id: 's', attempt: 3, isReady: sandbox === 'ready', ips: [] }] : [],
    containers: Object.entries(has).map(([name, text]) => containerOf(name, text, change)),
  };
  const probes = {
    failed: (id: string) => (id === failing ? ('Liveness' as const) : undefined),
    hasStarted: (id: string) => id !== notStarted,
  };
  expect(brief(podActions({ pod, runtimePod, probes, resizeOf: () => undefined, isRestartingAll: false }))).toBe(
    expected,
  );
});
