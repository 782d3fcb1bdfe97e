import type { Container, ContainerState, ContainerStatus, PodSpec } from '@coxswain/api/core/v1';
import { expect, it } from 'vitest';
import { podPhase } from './phase.ts';

type Text = 'none' | 'waiting' | 'running' | 'started' | `ended ${number}` | `again ${number}`;

/** `again 1` is a container that waits for a restart after it exited with code 1. */
function statusOf(name: string, text: Text): ContainerStatus[] {
  if (text === 'none') return [];
  const exitCode = Number(text.split(' ')[1] ?? 0);
  const state: ContainerState = text.startsWith('ended')
    ? { terminated: { exitCode } }
    : text === 'running' || text === 'started'
      ? { running: {} }
      : { waiting: {} };
  const lastState = text.startsWith('again') ? { terminated: { exitCode } } : {};
  return [
    { name, state, lastState, started: text === 'started', ready: false, restartCount: 0, image: '', imageID: '' },
  ];
}

interface Case {
  readonly restartPolicy?: PodSpec['restartPolicy'];
  readonly init?: Text;
  readonly sidecar?: Text;
  readonly mains: readonly Text[];
  readonly isTerminal?: boolean;
  readonly hasInitialized?: boolean;
}

/** The cases and their results are those of upstream's tests. */
it.each<[string, Case, string]>([
  ['all run', { mains: ['running', 'running'] }, 'Running'],
  ['all have ended and will be restarted', { mains: ['ended 0', 'ended 1'] }, 'Running'],
  ['one waits', { mains: ['running', 'waiting'] }, 'Pending'],
  ['one waits for a restart', { mains: ['running', 'again 1'] }, 'Running'],
  ['all wait for a restart', { mains: ['again 1', 'again 1'] }, 'Running'],
  ['one has no status', { mains: ['running', 'none'] }, 'Pending'],
  ['none has a status', { mains: ['none', 'none'] }, 'Pending'],
  ['all succeeded, Never', { restartPolicy: 'Never', mains: ['ended 0', 'ended 0'] }, 'Succeeded'],
  ['one failed, Never', { restartPolicy: 'Never', mains: ['ended 0', 'ended 1'] }, 'Failed'],
  ['one runs, Never', { restartPolicy: 'Never', mains: ['ended 1', 'running'] }, 'Running'],
  ['one waits after an end, Never', { restartPolicy: 'Never', mains: ['again 1'] }, 'Failed'],
  ['all succeeded, OnFailure', { restartPolicy: 'OnFailure', mains: ['ended 0', 'ended 0'] }, 'Succeeded'],
  ['one failed, OnFailure', { restartPolicy: 'OnFailure', mains: ['ended 0', 'ended 1'] }, 'Running'],
  ['all succeeded and are not restarted', { isTerminal: true, mains: ['ended 0', 'ended 0'] }, 'Succeeded'],
  ['one failed and none is restarted', { isTerminal: true, mains: ['ended 0', 'ended 137'] }, 'Failed'],
  ['the init container runs', { init: 'running', mains: ['waiting'] }, 'Pending'],
  ['the init container has no status', { init: 'none', mains: ['running'] }, 'Pending'],
  ['the init container failed and will be restarted', { init: 'ended 1', mains: ['waiting'] }, 'Pending'],
  ['the init container failed, Never', { restartPolicy: 'Never', init: 'ended 1', mains: ['waiting'] }, 'Failed'],
  ['the init container succeeded', { init: 'ended 0', mains: ['running'] }, 'Running'],
  ['the sidecar has not started', { sidecar: 'running', mains: ['waiting'] }, 'Pending'],
  [
    'the sidecar restarts while others run',
    { sidecar: 'running', mains: ['running'], hasInitialized: true },
    'Running',
  ],
  ['the sidecar waits for a restart', { sidecar: 'again 1', mains: ['running'], hasInitialized: true }, 'Running'],
  [
    'the sidecar runs after all others have ended',
    { restartPolicy: 'Never', sidecar: 'started', mains: ['ended 0'] },
    'Running',
  ],
  [
    'the sidecar failed after all others succeeded',
    { restartPolicy: 'Never', sidecar: 'ended 143', mains: ['ended 0'] },
    'Succeeded',
  ],
])('%s', (_, { restartPolicy = 'Always', init, sidecar, mains, ...rest }, phase) => {
  const names = mains.map((_text, i) => `main-${i}`);
  const initContainers: Container[] = [
    ...(init ? [{ name: 'init' }] : []),
    ...(sidecar ? [{ name: 'sidecar', restartPolicy: 'Always' }] : []),
  ];
  const statuses = [
    ...statusOf('init', init ?? 'none'),
    ...statusOf('sidecar', sidecar ?? 'none'),
    ...mains.flatMap((text, i) => statusOf(names[i]!, text)),
  ];
  const spec: PodSpec = { restartPolicy, initContainers, containers: names.map((name) => ({ name })) };
  expect(podPhase({ spec, statuses, isTerminal: false, hasInitialized: false, ...rest })).toBe(phase);
});
