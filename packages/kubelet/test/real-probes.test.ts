import { mkdir, rm, writeFile } from 'node:fs/promises';
import type { Pod } from '@coxswain/api/core/v1';
import { containerdProblem } from '@coxswain/cri/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RealNode, shell } from './real-node.ts';

const problem = await containerdProblem();
if (problem && process.env.COXSWAIN_REQUIRE_CONTAINERD) throw new Error(problem);
if (problem) console.warn(`SKIPPED: tests of probes of real containers. ${problem}`);

const isReady = (pod: Pod | undefined): boolean =>
  pod?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
const restarts = (pod: Pod | undefined): number => pod?.status?.containerStatuses?.[0]?.restartCount ?? 0;

describe.skipIf(problem)('on a real node', () => {
  let node: RealNode;
  beforeAll(async () => {
    node = await RealNode.start('10.213.6.0/24');
  });
  afterAll(async () => {
    await node?.clients.core.v1.pods('default').deleteCollection();
    await node?.untilNothingIsLeft();
    await node?.close();
  });

  it('exec, HTTP and TCP probes of a container determine whether its pod is ready', async () => {
    const site = `${node.directory}/site`;
    await mkdir(site);
    const container = {
      ...shell('main', 'httpd -p 8080 -h /site; touch /tmp/up; exec sleep 1000'),
      ports: [{ name: 'web', containerPort: 8080 }],
      volumeMounts: [{ name: 'site', mountPath: '/site' }],
      startupProbe: { exec: { command: ['test', '-e', '/tmp/up'] }, periodSeconds: 1, failureThreshold: 30 },
      readinessProbe: { httpGet: { path: '/health', port: 'web' }, periodSeconds: 1, failureThreshold: 1 },
      livenessProbe: { tcpSocket: { port: 8080 }, periodSeconds: 1 },
    };
    await node.create('asked', {
      containers: [container],
      volumes: [{ name: 'site', hostPath: { path: site, type: 'Directory' } }],
    });
    const unready = 'Warning Unhealthy: Readiness probe failed: HTTP probe failed with statuscode: 404';
    await expect.poll(() => node.events('asked'), { timeout: 20_000 }).toContain(unready);
    await writeFile(`${site}/health`, 'ok');
    await node.until('asked', isReady);
    await rm(`${site}/health`);
    const pod = await node.until('asked', (each) => !isReady(each));
    expect(restarts(pod)).toBe(0);
  });

  it('a container whose liveness probe command exceeds the timeout is restarted', async () => {
    await node.create('slow', {
      containers: [
        {
          ...shell('main', 'exec sleep 1000'),
          livenessProbe: { exec: { command: ['sleep', '1000'] }, periodSeconds: 1, failureThreshold: 1 },
        },
      ],
    });
    await node.until('slow', (pod) => restarts(pod) > 0);
    expect(await node.events('slow')).toEqual(
      expect.arrayContaining([
        'Warning Unhealthy: Liveness probe failed: command timed out: "sleep 1000" timed out after 1s',
        'Normal Killing: Container main failed liveness probe, will be restarted',
      ]),
    );
  });

  it('a container whose hook fails has the output of the hook in its status', async () => {
    const command = ['sh', '-c', 'echo too early; exit 3'];
    await node.create('hooked', {
      containers: [{ ...shell('main', 'exec sleep 1000'), lifecycle: { postStart: { exec: { command } } } }],
    });
    const pod = await node.until('hooked', (each) =>
      Boolean(each?.status?.containerStatuses?.[0]?.state?.waiting?.message?.startsWith('Exec lifecycle hook')),
    );
    const { reason, message } = pod?.status?.containerStatuses?.[0]?.state?.waiting ?? {};
    expect(reason).toBe('PostStartHookError');
    expect(message).toMatch(/failed - error: command '.*' exited with 3: , message: "too early\\n"$/);
    expect(await node.events('hooked')).toContain('Warning FailedPostStartHook: PostStartHook failed');
  });
});
