import { type Answer, LoadClient } from './load-client.ts';
import type { Target } from './target.ts';

/** The measured cost of one kind of request. */
interface Measured {
  readonly name: string;
  readonly perSecond: number;
  /** The CPU time of the server's processes. */
  readonly cpuMsPerOperation: number;
}

export interface LoadResult {
  readonly target: string;
  readonly startMs: number;
  readonly idleRssMiB: number;
  readonly finalRssMiB: number;
  readonly measured: readonly Measured[];
}

const objects = 3000;
const inFlight = 64;
const watchers = 100;
/**
 * Enough to take about a second: a shorter time is too short for the resolution of the CPU clock, and a single garbage collection would
 * distort it.
 */
const watchedUpdates = 1500;
const configMaps = '/api/v1/namespaces/default/configmaps';
const pods = '/api/v1/namespaces/default/pods';

const configMap = (index: number, round: number): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `bench-${index}`, labels: { app: 'bench', shard: String(index % 10) } },
    data: { index: String(index), round: String(round), text: 'x'.repeat(200) },
  });

const pod = (index: number): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `bench-${index}`, labels: { app: 'bench', shard: String(index % 10) } },
    spec: {
      containers: [
        {
          name: 'main',
          image: 'registry.example/app:1.2.3',
          args: ['--port=8080', '--verbose'],
          env: [
            { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
            { name: 'MODE', value: 'production' },
          ],
          ports: [{ containerPort: 8080, name: 'http' }],
          resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '256Mi' } },
          livenessProbe: { httpGet: { path: '/healthz', port: 8080 }, periodSeconds: 10 },
          volumeMounts: [{ name: 'config', mountPath: '/etc/app' }],
        },
        { name: 'sidecar', image: 'registry.example/proxy:4.5', ports: [{ containerPort: 15000 }] },
      ],
      volumes: [{ name: 'config', configMap: { name: 'app' } }],
    },
  });

/** The number of warm-up requests of each kind: servers run for days, and their code must be compiled first. */
const warmUps = 3000;

/** Runs the whole load on a server, one kind of request after the other. */
export async function putUnderLoad(target: Target): Promise<LoadResult> {
  const idleRssMiB = target.rssMiB();
  const client = new LoadClient(target, 4);
  console.error('  warm-up');
  await warmUp(client);
  const measured: Measured[] = [];
  const run = async (name: string, count: number, concurrency: number, once: (i: number) => Promise<Answer>) => {
    console.error(`  ${name}`);
    const started = performance.now();
    const cpu = target.cpuMs();
    await inParallel(count, concurrency, async (i) => {
      const { status, body } = await once(i);
      if (status >= 300) throw new Error(`${target.name}: ${name}: ${status} ${body}`);
    });
    measured.push(result(name, count, performance.now() - started, target.cpuMs() - cpu));
  };
  await run('create', objects, inFlight, (i) => client.request('POST', configMaps, configMap(i, 0)));
  await run('get', objects * 3, inFlight, (i) => client.request('GET', `${configMaps}/bench-${i % objects}`));
  await run('update', objects, inFlight, (i) => client.request('PUT', `${configMaps}/bench-${i}`, configMap(i, 1)));
  await run('list 3,000 configmaps', 30, 1, () => client.request('GET', configMaps));
  await run('apply', objects, inFlight, (i) =>
    client.request(
      'PATCH',
      `${configMaps}/applied-${i % 1000}?fieldManager=bench&force=true`,
      configMap(i, 2).replace(`bench-${i}`, `applied-${i % 1000}`),
      'application/apply-patch+yaml',
    ),
  );
  await run('create pods', objects, inFlight, (i) => client.request('POST', pods, pod(i)));
  await run('list 3,000 pods', 20, 1, () => client.request('GET', pods));
  // Run once as a warm-up, like all others.
  await watchFanOut(target, client, 3);
  measured.push(await watchFanOut(target, client, 4));
  await run('delete', objects, inFlight, (i) => client.request('DELETE', `${configMaps}/bench-${i}`));
  const finalRssMiB = target.rssMiB();
  await client.close();
  return { target: target.name, startMs: target.startMs, idleRssMiB, finalRssMiB, measured };
}

async function warmUp(client: LoadClient): Promise<void> {
  const namespace = '/api/v1/namespaces/kube-public';
  const path = `${namespace}/configmaps`;
  const each = (work: (i: number) => Promise<Answer>): Promise<void> => inParallel(warmUps, inFlight, work);
  await each((i) => client.request('POST', path, configMap(i, 0)));
  await each((i) => client.request('GET', `${path}/bench-${i}`));
  await each((i) => client.request('PUT', `${path}/bench-${i}`, configMap(i, 1)));
  const apply = `?fieldManager=warm-up&force=true`;
  await each((i) =>
    client.request('PATCH', `${path}/bench-${i}${apply}`, configMap(i, 2), 'application/apply-patch+yaml'),
  );
  await client.request('GET', path);
  await each((i) => client.request('DELETE', `${path}/bench-${i}`));
  await each((i) => client.request('POST', `${namespace}/pods`, pod(i)));
  await client.request('GET', `${namespace}/pods`);
  await each((i) => client.request('DELETE', `${namespace}/pods/bench-${i}`));
}

/** Measures watch events. The CPU per event includes the writes that cause them, one for a hundred events. */
async function watchFanOut(target: Target, client: LoadClient, round: number): Promise<Measured> {
  console.error('  watch');
  const watching = new LoadClient(target, 4);
  const expected = watchers * watchedUpdates;
  let events = 0;
  let complete: () => void = () => {};
  const all = new Promise<void>((resolve) => {
    complete = resolve;
  });
  const { body } = await client.request('GET', `${configMaps}?limit=1`);
  const { resourceVersion } = (JSON.parse(body.toString()) as { metadata: { resourceVersion: string } }).metadata;
  const path = `${configMaps}?watch=1&resourceVersion=${resourceVersion}&timeoutSeconds=600`;
  const stops = await Promise.all(
    Array.from({ length: watchers }, () =>
      watching.watch(path, (chunk) => {
        for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) events++;
        if (events >= expected) complete();
      }),
    ),
  );
  const started = performance.now();
  const cpu = target.cpuMs();
  await inParallel(watchedUpdates, 16, (i) => client.request('PUT', `${configMaps}/bench-${i}`, configMap(i, round)));
  await all;
  const measured = result('watch event, 100 watchers', expected, performance.now() - started, target.cpuMs() - cpu);
  for (const stop of stops) stop();
  await watching.close();
  return measured;
}

const result = (name: string, count: number, wallMs: number, cpuMs: number): Measured => ({
  name,
  perSecond: (count * 1000) / wallMs,
  cpuMsPerOperation: cpuMs / count,
});

async function inParallel(
  count: number,
  concurrency: number,
  work: (index: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}
