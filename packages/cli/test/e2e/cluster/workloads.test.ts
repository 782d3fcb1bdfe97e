import { afterAll, beforeAll, describe, it } from 'vitest';
import { findBinary } from '../binaries.ts';
import type { Shell } from '../shell.ts';
import { CoxUp } from './cox-up.ts';
import { events } from './events.ts';

const patience = { timeout: 30_000, interval: 200 };

/* Run concurrently, each in its own namespace: most of the time is waiting. */

describe.skipIf(!findBinary('kubectl')).concurrent('workloads on cox up', () => {
  let cluster: CoxUp;
  let shell: Shell;
  beforeAll(async () => {
    cluster = await CoxUp.start();
    shell = cluster.shell;
  }, 120_000);
  afterAll(() => cluster?.stop(), 60_000);

  /** Returns a function that runs kubectl in a new namespace. */
  async function inNamespace(name: string): Promise<(command: string) => Promise<string>> {
    await shell.run(`kubectl create namespace ${name}`);
    return (command) => shell.run(`kubectl -n ${name} ${command}`);
  }

  it('rolls a Deployment out, pauses and resumes it, and goes back', async ({ expect }) => {
    const kubectl = await inNamespace('roll');
    // Old pods take a moment to disappear.
    const images = () => kubectl(`get pods -o jsonpath='{.items[*].spec.containers[0].image}'`);
    await kubectl('create deployment web --image=web:1 --replicas=3');
    expect(await kubectl('rollout status deployment/web')).toContain('deployment "web" successfully rolled out');
    expect(await kubectl('get deployment web')).toMatch(/^web {3}3\/3 {3}3 {3}3 /m);
    const old = await kubectl(`get replicasets -o jsonpath='{.items[*].metadata.name}'`);
    expect(old).toMatch(/^web-\w+$/);

    await kubectl('rollout pause deployment/web');
    await kubectl('set image deployment/web web=web:2');
    // Before that, the command would wait for the update to be observed, and say so.
    await kubectl("wait deployment/web --for=jsonpath='{.status.observedGeneration}'=3");
    expect(await kubectl('rollout status deployment/web --timeout=1s')).toBe(
      'Waiting for deployment "web" rollout to finish: 0 out of 3 new replicas have been updated...\n' +
        'error: timed out waiting for the condition\n[exit 1]',
    );
    expect(await kubectl('get replicasets -o name')).toBe(`replicaset.apps/${old}`);

    await kubectl('rollout resume deployment/web');
    expect(await kubectl('rollout status deployment/web')).toContain('successfully rolled out');
    const names = (await kubectl('get replicasets --no-headers -o custom-columns=:.metadata.name')).split('\n');
    const next = names.find((name) => name !== old);
    await expect.poll(images, patience).toBe('web:2 web:2 web:2');
    await kubectl('rollout pause deployment/web');
    expect(await kubectl('rollout undo deployment/web')).toBe(
      `error: you cannot rollback a paused deployment; resume it first with 'kubectl rollout resume' and try again\n[exit 1]`,
    );
    await kubectl('rollout resume deployment/web');

    expect(await kubectl('rollout undo deployment/web')).toBe('deployment.apps/web rolled back');
    expect(await kubectl('rollout status deployment/web')).toContain('successfully rolled out');
    await expect.poll(images, patience).toBe('web:1 web:1 web:1');
    expect(await kubectl('rollout history deployment/web')).toBe(
      'deployment.apps/web\nREVISION  CHANGE-CAUSE\n2   <none>\n3   <none>',
    );
    const replicaSets = await kubectl('get replicasets --no-headers');
    expect(replicaSets).toContain(`${old}   3   3   3   `);
    expect(replicaSets).toContain(`${next}   0   0   0   `);
    const scaled = (way: string) => `Normal ScalingReplicaSet: Scaled ${way}`;
    await expect
      .poll(() => events(shell, 'roll', 'Deployment/web'), patience)
      .toEqual([
        scaled(`up replica set ${old} from 0 to 3`),
        scaled(`up replica set ${next} from 0 to 1`),
        scaled(`down replica set ${old} from 3 to 2`),
        scaled(`up replica set ${next} from 1 to 2`),
        scaled(`down replica set ${old} from 2 to 1`),
        scaled(`up replica set ${next} from 2 to 3`),
        scaled(`down replica set ${old} from 1 to 0`),
        scaled(`up replica set ${old} from 0 to 1`),
        scaled(`down replica set ${next} from 3 to 2`),
        // client-go's recorder combines similar Events from the tenth on.
        `Normal ScalingReplicaSet: (combined from similar events): Scaled down replica set ${next} from 1 to 0`,
      ]);
    expect(await events(shell, 'roll', `ReplicaSet/${next}`)).toEqual([
      ...Array(3).fill(`Normal SuccessfulCreate: Created pod: ${next}-#####`),
      ...Array(3).fill(`Normal SuccessfulDelete: Deleted pod: ${next}-#####`),
    ]);
  });

  it('scales a StatefulSet up and down, one after the other', async ({ expect }) => {
    const kubectl = await inNamespace('ordered');
    await kubectl(`apply -f - <<'E'
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  serviceName: db
  replicas: 3
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}, annotations: {hollow.coxswain.dev/readiness: 500ms}}
    spec: {containers: [{name: db, image: 'db:1', readinessProbe: {tcpSocket: {port: 1}, periodSeconds: 1}}]}
E`);
    expect(await kubectl('rollout status statefulset/db')).toContain('3 new pods have been updated...');
    // Each pod started after the previous one was ready.
    const times = `{.status.startTime} {.status.conditions[?(@.type=="Ready")].lastTransitionTime}`;
    const spans = await rawLines(
      kubectl,
      `get pods db-0 db-1 db-2 -o jsonpath='{range .items[*]}${times}{"\\n"}{end}'`,
    );
    expect(spans.flat()).toEqual(spans.flat().toSorted());

    await kubectl('scale statefulset/db --replicas=1');
    expect(await kubectl('wait --for=delete pod/db-1 pod/db-2')).toMatch(/^(pod\/db-[12] condition met|)/);
    expect(await kubectl('get pods -o name')).toBe('pod/db-0');
    const told = (what: string, pod: string) =>
      `Normal Successful${what}: ${what} Pod ${pod} in StatefulSet db successful`;
    await expect
      .poll(() => events(shell, 'ordered', 'StatefulSet/db'), patience)
      .toEqual([
        told('Create', 'db-0'),
        told('Create', 'db-1'),
        told('Create', 'db-2'),
        told('Delete', 'db-2'),
        told('Delete', 'db-1'),
      ]);
  });

  it('completes a Job, two pods at a time', async ({ expect }) => {
    const kubectl = await inNamespace('work');
    await kubectl(`apply -f - <<'E'
apiVersion: batch/v1
kind: Job
metadata: {name: three}
spec:
  completions: 3
  parallelism: 2
  template: {spec: {restartPolicy: Never, containers: [{name: work, image: 'work:1'}]}}
E`);
    await kubectl(`wait job/three --for=jsonpath='{.status.active}'=2`);
    expect(await kubectl('wait job/three --for=condition=Complete')).toBe('job.batch/three condition met');
    expect(await kubectl('get job three')).toMatch(/^three {3}Complete {3}3\/3 /m);
    expect(await kubectl(`get pods -o jsonpath='{.items[*].status.phase}'`)).toBe('Succeeded Succeeded Succeeded');
    await expect
      .poll(() => events(shell, 'work', 'Job/three'), patience)
      .toEqual([
        ...Array(3).fill('Normal SuccessfulCreate: Created pod: three-#####'),
        'Normal Completed: Job completed',
      ]);
  });

  it('fails a Job after too many failures', async ({ expect }) => {
    const kubectl = await inNamespace('failing');
    await kubectl(`apply -f - <<'E'
apiVersion: batch/v1
kind: Job
metadata: {name: fails}
spec:
  backoffLimit: 1
  template:
    metadata: {annotations: {hollow.coxswain.dev/exit-code: '3'}}
    spec: {restartPolicy: Never, containers: [{name: work, image: 'work:1'}]}
E`);
    expect(await kubectl('wait job/fails --for=condition=Failed --timeout=35s')).toBe('job.batch/fails condition met');
    const condition = `get job fails -o jsonpath='{.status.failed} {.status.conditions[?(@.type=="Failed")].message}'`;
    expect(await kubectl(condition)).toBe('2 Job has reached the specified backoff limit');
    expect(
      await kubectl(`get pods -o jsonpath='{.items[*].status.containerStatuses[0].state.terminated.exitCode}'`),
    ).toBe('3 3');
    expect(await kubectl('get pods --no-headers')).toMatch(/^(fails-\w{5} {3}0\/1 {3}Error {3}0 .*\n?){2}$/);
    await expect
      .poll(() => events(shell, 'failing', 'Job/fails'), patience)
      .toEqual([
        ...Array(2).fill('Normal SuccessfulCreate: Created pod: fails-#####'),
        'Warning BackoffLimitExceeded: Job has reached the specified backoff limit',
      ]);
  });

  it('fires a CronJob, by the clock and by hand', async ({ expect }) => {
    const kubectl = await inNamespace('cron');
    // It was due a minute ago.
    const dueAt = new Date(Date.now() - 60_000);
    await kubectl(`create cronjob tick --image=work:1 --schedule='${dueAt.getUTCMinutes()} * * * *'`);
    await kubectl('create job by-hand --from=cronjob/tick');
    expect(await kubectl('wait job/by-hand --for=condition=Complete')).toContain('condition met');
    expect(await kubectl(`get job by-hand -o jsonpath='{.metadata.ownerReferences[0].name}'`)).toBe('tick');
    const byHand = 'Warning UnexpectedJob: Saw a job that the controller did not create or forgot: by-hand';
    await expect.poll(() => events(shell, 'cron', 'CronJob/tick'), patience).toEqual([byHand]);

    // As if it had run an hour before, and the controller had been down since: the missed run is caught up.
    const hourBefore = new Date(dueAt.getTime() - 3_600_000).toISOString();
    const status = JSON.stringify({ status: { lastScheduleTime: hourBefore.replace(/\.\d+/, '') } });
    await kubectl(`patch cronjob tick --subresource=status --type=merge -p '${status}'`);
    const job = `tick-${Math.floor(dueAt.getTime() / 60_000)}`;
    await kubectl(`wait job/${job} --for=create`);
    expect(await kubectl(`wait job/${job} --for=condition=Complete`)).toContain('condition met');
    expect(await kubectl(`get job ${job} --no-headers`)).toContain(`${job}   Complete   1/1   `);
    await expect
      .poll(() => events(shell, 'cron', 'CronJob/tick'), patience)
      .toEqual([
        byHand,
        `Normal SuccessfulCreate: Created job ${job}`,
        `Normal SawCompletedJob: Saw completed job: ${job}, condition: Complete`,
      ]);
    expect(await kubectl('get cronjob tick --no-headers')).toMatch(/ {3}False {3}0 {3}\S+ {3}<age>$/);
  });

  it('deletes dependants first, afterwards, or not at all', async ({ expect }) => {
    const kubectl = await inNamespace('cascade');
    await kubectl('create deployment web --image=web:1 --replicas=2');
    await kubectl('rollout status deployment/web');
    const pods = await kubectl('get pods -o name');

    expect(await kubectl('delete deployment web --cascade=orphan')).toContain('"web" deleted');
    expect(await kubectl('get replicasets -o name')).toMatch(/^replicaset.apps\/web-\w+$/);
    expect(await kubectl('get replicasets -o jsonpath={.items[*].metadata.ownerReferences}')).toBe('');
    expect(await kubectl('get pods -o name')).toBe(pods);

    // A new Deployment with the same selector adopts them.
    await kubectl('create deployment web --image=web:1 --replicas=2');
    await kubectl('rollout status deployment/web');
    await expect
      .poll(() => kubectl('get replicasets -o jsonpath={.items[*].metadata.ownerReferences[*].name}'), patience)
      .toBe('web');
    expect(await kubectl('get pods -o name')).toBe(pods);

    expect(await kubectl('delete deployment web --cascade=foreground')).toContain('"web" deleted');
    // With foreground deletion, nothing is left when the Deployment is gone.
    expect(await kubectl('get deployments,replicasets,pods')).toBe('No resources found in cascade namespace.');

    await kubectl('create deployment web --image=web:1 --replicas=2');
    await kubectl('rollout status deployment/web');
    await kubectl('delete deployment web --cascade=background');
    await expect
      .poll(() => kubectl('get deployments,replicasets,pods'), patience)
      .toBe('No resources found in cascade namespace.');
  });

  it('deletes a namespace with everything in it', async ({ expect }) => {
    const kubectl = await inNamespace('doomed');
    await kubectl('create deployment web --image=web:1 --replicas=2');
    await kubectl('create configmap settings --from-literal=a=b');
    await kubectl('expose deployment web --port=80');
    await kubectl('rollout status deployment/web');
    expect(await shell.run('kubectl delete namespace doomed --timeout=38s')).toBe('namespace "doomed" deleted');
    expect(await shell.run('kubectl get namespace doomed')).toContain('NotFound');
    for (const kind of ['all', 'configmaps', 'serviceaccounts', 'events', 'endpointslices']) {
      expect(await kubectl(`get ${kind}`)).toBe('No resources found in doomed namespace.');
    }
  });
});

/** Returns the words of each line without normalisation, so that times are kept. */
async function rawLines(kubectl: (command: string) => Promise<string>, command: string): Promise<string[][]> {
  // Normalisation removes times, but does not change encoded text.
  const text = atob(await kubectl(`${command} | base64 -w0`));
  return text
    .trim()
    .split('\n')
    .map((line) => line.split(' '));
}
