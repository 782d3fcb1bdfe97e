import { setTimeout as delay } from 'node:timers/promises';
import type { ClientSet } from '@coxswain/client';
import { container, type NodePods } from './node-pods.ts';
import type { RunningKubelet } from './running-kubelet.ts';

/** Pods that are started before anything is measured: a kubelet runs for days. */
const warmUpPods = 5;
const pods = { oneByOne: 35, atOnce: 60 };
/** All pods of a round. */
const allPods = warmUpPods + pods.oneByOne + pods.atOnce;
const settleMs = 10_000;
const idleMs = 30_000;
const commands = 30;
const logReads = 3;
/** In lines of 100 bytes. */
const logBytes = 24_000_000;
const writeLog = `yes ${'x'.repeat(99)} | head -c ${logBytes}`;

/** What a kubelet has used in one round. */
export interface Round {
  readonly rssWithoutPods: number;
  readonly rssWithPods: number;
  /** From the creation of a pod until its status says Running, of each pod that was started alone. */
  readonly startMs: readonly number[];
  /** That without the calls that make the pod. */
  readonly besideMakingMs: readonly number[];
  /** That without all calls of the runtime in that time. */
  readonly ownMs: readonly number[];
  readonly atOnceMs: number;
  readonly cpuMsPerStart: number;
  readonly cpuMsPerRemoval: number;
  /** Of an idle minute. */
  readonly idleCpuMsWithoutPods: number;
  readonly idleCpuMsWithPods: number;
  readonly execMs: readonly number[];
  readonly logMBPerSecond: number;
  readonly logCpuMsPerMB: number;
}

export interface RoundOptions {
  readonly clients: ClientSet;
  readonly nodeName: string;
  readonly kubelet: RunningKubelet;
  readonly pods: NodePods;
  readonly signal: AbortSignal;
  say(what: string): void;
}

/** Measures a kubelet that has just been started, on a node without pods. */
export async function measureRound(options: RoundOptions): Promise<Round> {
  const { kubelet, pods: nodePods, signal, say } = options;
  const idle = async (): Promise<{ cpuMs: number; rssMiB: number }> => {
    await delay(settleMs, undefined, { signal });
    const before = kubelet.usage();
    await delay(idleMs, undefined, { signal });
    const after = kubelet.usage();
    return { cpuMs: ((after.cpuMs - before.cpuMs) * 60_000) / idleMs, rssMiB: after.rssMiB };
  };
  say('ready');
  await untilReady(options);
  say('idle without pods');
  const empty = await idle();
  say('pods one by one');
  for (let index = 0; index < warmUpPods; index++) await nodePods.start(`warm-${index}`);
  const startMs: number[] = [];
  const besideMakingMs: number[] = [];
  const ownMs: number[] = [];
  let before = await kubelet.runtimeMs();
  for (let index = 0; index < pods.oneByOne; index++) {
    const ms = await nodePods.start(`single-${index}`);
    const now = await kubelet.runtimeMs();
    startMs.push(ms);
    besideMakingMs.push(ms - (now.makingMs - before.makingMs));
    ownMs.push(ms - (now.allMs - before.allMs));
    before = await kubelet.runtimeMs();
  }
  say(`${pods.atOnce} pods at once`);
  const beforeStarts = kubelet.usage().cpuMs;
  const atOnceMs = await nodePods.startAll(Array.from({ length: pods.atOnce }, (_, index) => `many-${index}`));
  const cpuMsPerStart = (kubelet.usage().cpuMs - beforeStarts) / pods.atOnce;
  say(`idle with ${allPods} pods`);
  const full = await idle();
  say('exec');
  const execMs: number[] = [];
  for (let index = 0; index < commands; index++) {
    const begun = performance.now();
    await kubelet.exec('single-0', container, 'true', signal);
    execMs.push(performance.now() - begun);
  }
  say('logs');
  const logs = await measureLogs(options);
  say('removing the pods');
  const beforeRemovals = kubelet.usage().cpuMs;
  await nodePods.removeAll();
  // The rest of a pod is removed after its object.
  await delay(settleMs, undefined, { signal });
  return {
    rssWithoutPods: empty.rssMiB,
    rssWithPods: full.rssMiB,
    ...{ startMs, besideMakingMs, ownMs, atOnceMs, cpuMsPerStart, execMs },
    cpuMsPerRemoval: (kubelet.usage().cpuMs - beforeRemovals) / (allPods + 1),
    idleCpuMsWithoutPods: empty.cpuMs,
    idleCpuMsWithPods: full.cpuMs,
    ...logs,
  };
}

async function untilReady({ clients, nodeName, kubelet, signal }: RoundOptions): Promise<void> {
  for (;;) {
    const node = await clients.core.v1
      .nodes()
      .get(nodeName)
      .catch(() => undefined);
    if (node?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True')) return;
    // Throws when it has ended.
    kubelet.usage();
    await delay(200, undefined, { signal });
  }
}

async function measureLogs({
  kubelet,
  pods: nodePods,
  signal,
}: RoundOptions): Promise<Pick<Round, 'logMBPerSecond' | 'logCpuMsPerMB'>> {
  await nodePods.start('log', writeLog);
  // Until the whole log is written.
  while ((await kubelet.readLog('log', container, signal)) < logBytes) await delay(500, undefined, { signal });
  const [begun, before] = [performance.now(), kubelet.usage().cpuMs];
  let megabytes = 0;
  for (let read = 0; read < logReads; read++) megabytes += (await kubelet.readLog('log', container, signal)) / 1e6;
  return {
    logMBPerSecond: (megabytes * 1000) / (performance.now() - begun),
    logCpuMsPerMB: (kubelet.usage().cpuMs - before) / megabytes,
  };
}
