import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { recordLogs } from '@coxswain/apimachinery/log';
import type { EventRecorder } from '@coxswain/client';
import type { ContainerState } from '@coxswain/cri';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ContainerLogManager } from '../logs/container-log-manager.ts';
import { LogFiles } from '../logs/log-files.ts';
import { LogScratch, ScriptedRuntime } from '../logs/scripted-runtime.test-data.ts';
import { KubeRuntime } from '../runtime/kube-runtime.ts';
import { defaultRuntimeSettings } from '../runtime/runtime-settings.ts';
import { ContainerGarbageCollector, type ContainerGCPolicy } from './container-garbage-collector.ts';

let scratch: LogScratch;
let runtime: ScriptedRuntime;
/** Pods that were deleted, and pods that have ended but still exist. */
let gone: Set<string>;
let ended: Set<string>;
let events: string[];
const recorded = recordLogs();
const { signal } = new AbortController();

beforeEach(() => {
  scratch = new LogScratch();
  runtime = new ScriptedRuntime();
  gone = new Set();
  ended = new Set();
  events = [];
  recorded.clear();
});
afterEach(() => scratch.dispose());

function collector(policy: Partial<ContainerGCPolicy> = {}): ContainerGarbageCollector {
  const { clock, cri } = runtime;
  const { logger } = recorded;
  const recorder: Pick<EventRecorder, 'event'> = {
    event: (subject, type, reason, message) =>
      events.push(`${subject.kind}/${'name' in subject ? subject.name : ''} ${type} ${reason}: ${message}`),
  };
  const logs = new LogFiles({ service: cri.runtime, root: scratch.root, clock, logger });
  return new ContainerGarbageCollector({
    runtime: new KubeRuntime({
      cri,
      machine: { logs, terminationMessage: async () => undefined },
      settings: defaultRuntimeSettings,
      clock,
    }),
    logs: new ContainerLogManager({ service: cri.runtime, clock, logger }),
    pods: {
      shouldPodContentBeRemoved: (uid) => gone.has(uid),
      shouldPodRuntimeBeRemoved: (uid) => gone.has(uid) || ended.has(uid),
    },
    podLogsDirectory: scratch.root,
    containerLogsDirectory: join(scratch.root, 'uid-links'),
    nodeName: 'n1',
    clock,
    logger,
    recorder: { annotatedEvent: () => {}, ...recorder },
    policy,
  });
}

/** Adds a container that was created so many seconds ago, with a log and a symlink to it. */
function dead(
  id: string,
  ageSeconds: number,
  { uid = 'uid-1', name = 'main', state = 'CONTAINER_EXITED' as ContainerState } = {},
): void {
  const labels = {
    'io.kubernetes.pod.uid': uid,
    'io.kubernetes.pod.name': 'web',
    'io.kubernetes.pod.namespace': 'default',
    'io.kubernetes.container.name': name,
  };
  const logPath = join(scratch.root, `default_web_${uid}`, name, `${id}.log`);
  mkdirSync(dirname(logPath), { recursive: true });
  writeFileSync(logPath, '');
  mkdirSync(join(scratch.root, 'uid-links'), { recursive: true });
  symlinkSync(logPath, join(scratch.root, 'uid-links', `web_default_${name}-${id}.log`));
  runtime.container(id, {
    state,
    logPath,
    about: {
      podSandboxId: `sandbox-${uid}`,
      metadata: { name },
      labels,
      annotations: { 'io.kubernetes.pod.terminationGracePeriod': '7' },
      createdAt: createdAt(ageSeconds),
    },
  });
}

const createdAt = (ageSeconds: number): bigint => BigInt(runtime.clock.now() - ageSeconds * 1000) * 1_000_000n;

function sandbox(id: string, ageSeconds: number, { uid = 'uid-1', isReady = false } = {}): void {
  const state = isReady ? 'SANDBOX_READY' : 'SANDBOX_NOTREADY';
  const about = { createdAt: createdAt(ageSeconds), labels: { 'io.kubernetes.pod.uid': uid } };
  runtime.sandboxes.set(id, { id, state, about });
}

const links = (): string[] => readdirSync(join(scratch.root, 'uid-links')).sort();

describe('of dead containers', () => {
  it('one of each name is kept, the newest; older ones go with their logs and symlinks', async () => {
    for (const [id, age] of [
      ['old', 30],
      ['older', 40],
      ['newest', 20],
    ] as const)
      dead(id, age);
    dead('other', 50, { name: 'sidecar' });
    dead('running', 60, { state: 'CONTAINER_RUNNING' });
    await collector().collect(signal);
    expect(runtime.changes).toEqual(['removeContainer older', 'removeContainer old']);
    expect(readdirSync(dirname(scratch.path)).sort()).toEqual(['newest.log', 'running.log']);
    expect(links()).toEqual([
      'web_default_main-newest.log',
      'web_default_main-running.log',
      'web_default_sidecar-other.log',
    ]);
  });

  it('young ones are kept', async () => {
    for (const [id, age] of [
      ['a', 59],
      ['b', 61],
      ['c', 62],
    ] as const)
      dead(id, age);
    await collector({ minAgeMs: 60_000, maxPerPodContainer: 0 }).collect(signal);
    expect(runtime.changes).toEqual(['removeContainer c', 'removeContainer b']);
  });

  it('as many are kept of all pods as may be, but one of each name if possible', async () => {
    for (const [i, uid] of ['uid-1', 'uid-2', 'uid-3'].entries()) {
      for (const age of [10, 20, 30]) dead(`${uid}-${age + i}`, age + i, { uid });
    }
    await collector({ maxPerPodContainer: -1, maxContainers: 7 }).collect(signal);
    // Two of each are left, which are fewer than there may be.
    expect(runtime.changes).toEqual(['uid-1-30', 'uid-2-31', 'uid-3-32'].map((id) => `removeContainer ${id}`));
    runtime.changes.length = 0;
    await collector({ maxPerPodContainer: -1, maxContainers: 2 }).collect(signal);
    expect(runtime.changes).toEqual(
      ['uid-1-20', 'uid-2-21', 'uid-3-22', 'uid-3-12'].map((id) => `removeContainer ${id}`),
    );
  });

  it('all of a deleted pod go', async () => {
    dead('a', 10);
    dead('b', 10, { uid: 'uid-2' });
    gone.add('uid-2');
    await collector().collect(signal);
    expect(runtime.changes).toEqual(['removeContainer b']);
  });

  it('all of an ended pod go if room is needed', async () => {
    dead('a', 10);
    ended.add('uid-1');
    await collector().collect(signal);
    expect(runtime.changes).toEqual([]);
    await collector().collect(signal, true);
    expect(runtime.changes).toEqual(['removeContainer a']);
  });

  it('one of which the runtime does not know whether it runs is stopped first, and kept if that fails', async () => {
    dead('a', 10, { state: 'CONTAINER_UNKNOWN' });
    gone.add('uid-1');
    runtime.failing.set('stopContainer', 'Unknown');
    await collector().collect(signal);
    expect(runtime.changes).toEqual([]);
    expect(recorded.lines).toEqual([expect.stringContaining('error "Failed to remove container"')]);
    runtime.failing.clear();
    // Its log went away with the directory of the pod.
    await collector().collect(signal);
    expect(runtime.changes).toEqual(['stopContainer a 7', 'removeContainer a']);
  });

  it('those of others than the kubelet are kept', async () => {
    runtime.container('foreign', { state: 'CONTAINER_EXITED' });
    runtime.sandboxes.set('foreign', { id: 'foreign', state: 'SANDBOX_NOTREADY', about: {} });
    gone.add('');
    await collector({ maxPerPodContainer: 0 }).collect(signal);
    expect(runtime.changes).toEqual([]);
  });
});

describe('of sandboxes', () => {
  it('the latest of a pod is kept, and those that are ready or have containers', async () => {
    for (const [id, age] of [
      ['latest', 10],
      ['old', 20],
      ['older', 30],
    ] as const)
      sandbox(id, age);
    sandbox('sandbox-uid-1', 40);
    sandbox('ready', 50, { isReady: true });
    dead('a', 10);
    await collector().collect(signal);
    expect(runtime.changes).toEqual(
      ['older', 'old'].flatMap((id) => [`stopPodSandbox ${id}`, `removePodSandbox ${id}`]),
    );
  });

  it('those of a deleted pod go, after its containers', async () => {
    sandbox('sandbox-uid-1', 10);
    dead('a', 10);
    gone.add('uid-1');
    await collector().collect(signal);
    expect(runtime.changes).toEqual([
      'removeContainer a',
      'stopPodSandbox sandbox-uid-1',
      'removePodSandbox sandbox-uid-1',
    ]);
  });

  it('one that cannot be stopped is not removed', async () => {
    sandbox('a', 10);
    gone.add('uid-1');
    runtime.failing.set('stopPodSandbox', 'Unknown');
    await collector().collect(signal);
    expect(runtime.changes).toEqual([]);
    expect(recorded.lines).toEqual([expect.stringContaining('error "Failed to remove sandbox"')]);
  });
});

describe('of logs', () => {
  it('the directories of deleted pods go, and symlinks that lead nowhere', async () => {
    dead('a23456', 10, { uid: 'uid-2' });
    runtime.containers.clear();
    gone.add('uid-2');
    await collector().collect(signal);
    expect(readdirSync(scratch.root).sort()).toEqual(['default_web_uid-1', 'uid-links']);
    expect(links()).toEqual([]);
  });

  it('a symlink in the place of a directory is removed, and not what it leads to', async () => {
    const kept = join(scratch.path, '..', 'kept');
    writeFileSync(kept, '');
    symlinkSync(dirname(scratch.path), join(scratch.root, 'default_web_uid-2'));
    gone.add('uid-2');
    await collector().collect(signal);
    expect(existsSync(kept)).toBe(true);
    expect(existsSync(join(scratch.root, 'default_web_uid-2'))).toBe(false);
  });
});

it('a failure is told by an event, and the rest is done', async () => {
  const stop = new AbortController();
  runtime.failing.set('listContainers', 'Unavailable');
  gone.add('uid-1');
  const running = collector().run(stop.signal);
  while (events.length === 0) await runtime.clock.advance(0);
  expect(events).toEqual([
    'Node/n1 Warning ContainerGCFailed: rpc error: code = Unavailable desc = listContainers was told to fail',
  ]);
  expect(readdirSync(scratch.root)).toEqual([]);
  rmSync(scratch.root, { recursive: true });
  while (events.length === 1) await runtime.clock.advance(60_000);
  expect(events[1]).toMatch(
    /^Node\/n1 Warning ContainerGCFailed: \[rpc error: .*, failed to read podLogsDirectory ".*": ENOENT/,
  );
  stop.abort();
  await running;
});

it('a negative minimum age is refused', () => {
  expect(() => collector({ minAgeMs: -1 })).toThrow('invalid minimum garbage collection age: -1 ms');
});
