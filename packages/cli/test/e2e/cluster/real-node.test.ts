import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { busyboxFiles, busyboxImage, containerdProblem, ociArchive, startContainerd } from '@coxswain/cri/testing';
import { containersProblem } from '@coxswain/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBinary } from '../binaries.ts';
import { CoxProcess } from '../cox-process.ts';

/** A container runtime for a cluster. */
interface UsedRuntime {
  /** The value of `--runtime`. */
  readonly value: string;
  /** What ids of containers begin with. */
  readonly scheme: string;
  /** Makes the image of the tests available once the cluster runs. */
  load(cox: (...args: string[]) => Promise<number | null>): Promise<void>;
  close(): Promise<void>;
}

/** Starts containerd below a directory. */
async function withContainerd(home: string): Promise<UsedRuntime> {
  const containerd = await startContainerd({ directory: join(home, 'containerd'), podCIDR: '10.213.16.0/24' });
  return {
    value: containerd.endpoint,
    scheme: 'containerd://',
    load: async () => {},
    close: () => containerd.close(),
  };
}

async function withOwnRuntime(home: string): Promise<UsedRuntime> {
  const archive = join(home, 'busybox.tar');
  await writeFile(archive, ociArchive({ name: busyboxImage, files: await busyboxFiles(), command: ['/bin/sh'] }));
  return {
    value: 'containers',
    scheme: 'coxswain://',
    async load(cox) {
      expect(await cox('image', 'load', archive)).toBe(0);
    },
    close: async () => {},
  };
}

const problems = {
  containerd: await containerdProblem(),
  own: (await containerdProblem()) ?? (await containersProblem()),
};
for (const problem of Object.values(problems)) {
  if (problem && process.env.COXSWAIN_REQUIRE_CONTAINERD) throw new Error(problem);
  if (problem) console.warn(`SKIPPED: tests of \`cox up --runtime\`. ${problem}`);
}

const kubectlPath = findBinary('kubectl');
const run = promisify(execFile);

const image = `image: ${busyboxImage}, imagePullPolicy: IfNotPresent`;
const manifests = `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec: {accessModes: [ReadWriteOnce], storageClassName: standard, resources: {requests: {storage: 1Mi}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      terminationGracePeriodSeconds: 1
      volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]
      containers:
      - name: web
        ${image.replace(', ', '\n        ')}
        command: [sh, -c, "echo kept > /data/page; (while :; do echo tick; sleep 0.2; done) & exec httpd -f -p 8080 -h /data"]
        volumeMounts: [{name: data, mountPath: /data}]
        readinessProbe: {httpGet: {path: /page, port: 8080}, periodSeconds: 1}
---
apiVersion: v1
kind: Pod
metadata: {name: shell}
spec:
  terminationGracePeriodSeconds: 1
  containers: [{name: main, ${image}, command: [sh], stdin: true}]
---
apiVersion: v1
kind: Pod
metadata: {name: kept}
spec:
  terminationGracePeriodSeconds: 1
  containers:
  - {name: main, ${image}, command: [sleep, "1000"], readinessProbe: {exec: {command: ["true"]}, periodSeconds: 1, timeoutSeconds: 30}}
---
apiVersion: v1
kind: Pod
metadata: {name: crashes}
spec:
  containers: [{name: main, ${image}, command: [sh, -c, exit 7]}]
---
apiVersion: v1
kind: Pod
metadata: {name: sick}
spec:
  terminationGracePeriodSeconds: 1
  containers:
  - {name: main, ${image}, command: [sleep, "1000"], livenessProbe: {exec: {command: ["false"]}, periodSeconds: 1, failureThreshold: 1}}
`;

/* A user with kubectl, and with containerd or without. */
describe.each([
  ['containerd', problems.containerd, withContainerd],
  ['our own runtime', problems.own, withOwnRuntime],
] as const)('cox up with %s', (_, problem, startRuntime) => {
  if (problem || !kubectlPath) return it.skip('needs kubectl and containers');
  let home: string;
  let runtime: UsedRuntime;
  let cluster: CoxProcess;
  /** The pod of the Deployment. */
  let web = '';
  const env = () => ({ PATH: process.env.PATH, HOME: home, KUBECONFIG: join(home, 'kubeconfig') });
  const kubectl = async (...args: string[]): Promise<string> =>
    (await run(kubectlPath!, args, { env: env(), timeout: 60_000 })).stdout;
  const up = async (...flags: string[]): Promise<void> => {
    cluster = new CoxProcess(['up', '--port=0', `--runtime=${runtime.value}`, ...flags], { env: env() });
    await cluster.says(/is ready at .*\n/);
  };
  /** Runs kubectl with an input, whose lines are sent one after the other when the output matches. */
  const interact = async (args: readonly string[], line: string, answer: RegExp): Promise<void> => {
    const child = spawn(kubectlPath!, args, { env: env(), stdio: ['pipe', 'pipe', 'pipe'] });
    const ended = new Promise((resolve) => child.once('close', resolve));
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    // What is written before the session is open is sent then.
    child.stdin.write(`${line}\n`);
    await expect.poll(() => output, { timeout: 30_000 }).toMatch(answer);
    child.kill();
    await ended;
  };
  const states = (): Promise<string> => {
    const of = '.status.containerStatuses[0]';
    const columns = `N:.metadata.name,ID:${of}.containerID,R:${of}.restartCount,S:${of}.state.running.startedAt`;
    return kubectl('get', 'pods', 'shell', 'kept', '-o', `custom-columns=${columns}`);
  };

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'cox-e2e-real-'));
    runtime = await startRuntime(home);
    await up();
    await runtime.load((...args) => new CoxProcess(args, { env: env() }).ended);
    await writeFile(join(home, 'pods.yaml'), manifests);
    await kubectl('apply', '-f', join(home, 'pods.yaml'));
    await kubectl('rollout', 'status', 'deployment/web', '--timeout=50s');
    web = (await kubectl('get', 'pods', '-l', 'app=web', '-o', 'jsonpath={.items[0].metadata.name}')).trim();
    await kubectl('wait', '--for=condition=Ready', 'pod/shell', 'pod/kept', '--timeout=30s');
  }, 120_000);
  afterAll(async () => {
    await cluster?.stop('SIGINT');
    if (runtime) {
      await new CoxProcess(['reset', '--yes'], { env: env() }).ended;
      await runtime.close();
    }
    if (home) await rm(home, { recursive: true, force: true });
  }, 60_000);

  it('runs a Deployment with a volume of the default class', async () => {
    expect(await kubectl('exec', web, '--', 'cat', '/data/page')).toBe('kept\n');
    expect(await kubectl('get', 'pvc', 'data', '-o', 'jsonpath={.status.phase}')).toBe('Bound');
  });

  it('follows logs, and copies files', async () => {
    await interact(['logs', '-f', web], '', /tick\ntick\ntick\n/);
    await writeFile(join(home, 'given'), 'copied');
    await kubectl('cp', join(home, 'given'), `${web}:/data/given`);
    await kubectl('cp', `${web}:/data/given`, join(home, 'taken'));
    expect(await readFile(join(home, 'taken'), 'utf8')).toBe('copied');
  });

  it('forwards ports', async () => {
    const child = spawn(kubectlPath!, ['port-forward', web, ':8080'], {
      env: env(),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = new Promise((resolve) => child.once('close', resolve));
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    await expect.poll(() => output, { timeout: 20_000 }).toMatch(/127\.0\.0\.1:(\d+) ->/);
    const port = /127\.0\.0\.1:(\d+) ->/.exec(output)?.[1];
    expect(await (await fetch(`http://127.0.0.1:${port}/page`)).text()).toBe('kept\n');
    child.kill();
    await ended;
  });

  it('attaches to containers, and to ephemeral ones that see the processes of another', async () => {
    await interact(['attach', '-i', 'shell'], 'echo attached $((1+1))', /attached 2/);
    const debug = ['debug', '-i', 'shell', `--image=${busyboxImage}`, '--image-pull-policy=IfNotPresent'];
    await interact([...debug, '--target=main', '--', 'sh'], 'ps; echo seen $((1+1))', / sh\n[\s\S]*seen 2/);
  });

  it('restarts containers that end and that fail their probes', async () => {
    const status = 'jsonpath={.status.containerStatuses[0].state.waiting.reason}';
    await expect
      .poll(() => kubectl('get', 'pod', 'crashes', '-o', status), { timeout: 30_000 })
      .toBe('CrashLoopBackOff');
    const count = 'jsonpath={.status.containerStatuses[0].restartCount}';
    await expect.poll(() => kubectl('get', 'pod', 'sick', '-o', count), { timeout: 30_000 }).not.toBe('0');
    const events = await kubectl('get', 'events', '-o', 'jsonpath={.items[*].message}');
    expect(events).toContain('Container main failed liveness probe, will be restarted');
  });

  it.each([
    ['stopped', 'SIGINT', 0],
    ['killed', 'SIGKILL', null],
  ] as const)('is %s and started again without its pods noticing', { timeout: 120_000 }, async (_, signal, status) => {
    const before = await states();
    expect(before).toContain(runtime.scheme);
    expect(await cluster.stop(signal)).toBe(status);
    await up('--nodes=1');
    await kubectl('rollout', 'restart', 'deployment/web');
    await kubectl('rollout', 'status', 'deployment/web', '--timeout=60s');
    expect(await states()).toBe(before);
  });

  it('has hollow nodes beside it that run no pods by chance', async () => {
    const taints = await kubectl('get', 'node', 'hollow-0', '-o', 'jsonpath={.spec.taints[*].key}');
    expect(taints).toBe('hollow.coxswain.dev/node');
    await kubectl('scale', 'deployment/web', '--replicas=2');
    await kubectl('rollout', 'status', 'deployment/web', '--timeout=40s');
    const nodes = await kubectl('get', 'pods', '-l', 'app=web', '-o', 'jsonpath={.items[*].spec.nodeName}');
    expect(nodes).not.toContain('hollow');
  });
});
