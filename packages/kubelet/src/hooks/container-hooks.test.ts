import type { LifecycleHandler } from '@coxswain/api/core/v1';
import { FakeClock } from '@coxswain/client';
import type { ExecSyncRequest, ExecSyncResponse } from '@coxswain/cri';
import { runtimeInProcess } from '@coxswain/cri';
import { afterEach, describe, expect, it } from 'vitest';
import { TestServers } from '../actions/test-servers.test-data.ts';
import { ContainerHooks } from './container-hooks.ts';
import { hookFailure } from './hook-failure.ts';

const servers = new TestServers();
afterEach(() => servers.close());

const pod = { metadata: { name: 'p', namespace: 'default', uid: 'u' } };
const container = { name: 'web' };
const command = (handler: LifecycleHandler) => hookOf(handler, []);
const hookOf = (handler: LifecycleHandler, warnings: string[]) => ({
  kind: 'PreStop' as const,
  handler,
  pod,
  container,
  containerId: 'c1',
  warn: (reason: string, message: string) => void warnings.push(`${reason}: ${message}`),
});

interface Node {
  readonly result?: Partial<ExecSyncResponse>;
  /** Of the container's pod; empty in the node's network. */
  readonly ip?: string;
  readonly clock?: FakeClock;
}

function hooksOn({ result = {}, ip = '127.0.0.1', clock = new FakeClock() }: Node = {}) {
  const commands: ExecSyncRequest[] = [];
  const { runtime } = runtimeInProcess(
    {
      execSync: async (request) => {
        commands.push(request);
        return result;
      },
      listContainers: async ({ filter }) => ({
        containers: filter?.id === 'c1' ? [{ id: 'c1', podSandboxId: 's1' }] : [],
      }),
      podSandboxStatus: async ({ podSandboxId }) => ({
        ...(podSandboxId === 's1' && { status: { network: { ip } } }),
      }),
    },
    {},
  );
  return { hooks: new ContainerHooks({ service: runtime, clock }), commands };
}

/** Runs a hook; returns what the container's status says of its failure. */
async function failureOf(handler: LifecycleHandler, node?: Node): Promise<string | undefined> {
  try {
    await hooksOn(node).hooks.run(command(handler));
    return undefined;
  } catch (error) {
    return hookFailure(handler, pod, container, error);
  }
}

describe('a hook with a command', () => {
  it('runs it without a limit of time', async () => {
    const { hooks, commands } = hooksOn();
    await hooks.run(command({ exec: { command: ['leave', '$(NOW)'] } }));
    expect(commands).toEqual([{ containerId: 'c1', cmd: ['leave', '$(NOW)'], timeout: 0 }]);
  });

  it('fails with another exit code, and tells what the command wrote', async () => {
    const result = { exitCode: 3, stdout: Buffer.from('bye '), stderr: Buffer.from('"no"\n') };
    expect(await failureOf({ exec: { command: ['leave', 'now'] } }, { result })).toBe(
      'Exec lifecycle hook ([leave now]) for Container "web" in Pod "p_default(u)" failed - error: ' +
        'command \'leave now\' exited with 3: "no"\n, message: "bye \\"no\\"\\n"',
    );
  });
});

describe('a hook with a request', () => {
  it('succeeds with any status code', async () => {
    let agent: string | undefined;
    const port = await servers.http((request, response) => {
      agent = request.headers['user-agent'];
      response.writeHead(500).end();
    });
    expect(await failureOf({ httpGet: { path: '/leave', port } })).toBeUndefined();
    expect(agent).toBe('kube-lifecycle/1.36');
  });

  it('succeeds with a body that breaks off', async () => {
    const port = await servers.answering((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc'));
    expect(await failureOf({ httpGet: { port } })).toBeUndefined();
  });

  it('fails when nobody listens', async () => {
    const port = await servers.closedPort();
    expect(await failureOf({ httpGet: { path: '/leave', port, host: '127.0.0.1' } })).toBe(
      'HTTP lifecycle hook (/leave) for Container "web" in Pod "p_default(u)" failed - error: ' +
        `Get "http://127.0.0.1:${port}/leave": dial tcp 127.0.0.1:${port}: connect: connection refused`,
    );
  });

  it('fails when the pod has no address of its own', async () => {
    const failure = await failureOf({ httpGet: { port: 80 } }, { ip: '' });
    expect(failure).toMatch(/failed - error: failed to find networking container: p_default\(u\)$/);
  });

  it('falls back to HTTP when that is what an HTTPS port speaks, without credentials', async () => {
    let headers: unknown;
    const port = await servers.http((request, response) => {
      headers = request.headers;
      response.end();
    });
    const warnings: string[] = [];
    const httpHeaders = [
      { name: 'Authorization', value: 'Basic x' },
      { name: 'X-A', value: '1' },
    ];
    const handler = { httpGet: { path: '/', port, scheme: 'HTTPS' as const, httpHeaders } };
    await hooksOn().hooks.run(hookOf(handler, warnings));
    expect(headers).toMatchObject({ 'x-a': '1' });
    expect(headers).not.toHaveProperty('authorization');
    expect(warnings).toEqual([
      `LifecycleHTTPFallback: request to HTTPS lifecycle hook 127.0.0.1:${port} got HTTP response, retry with HTTP succeeded`,
    ]);
  });

  it('ends when it is aborted', async () => {
    const stop = new AbortController();
    const port = await servers.answering(() => stop.abort(new Error('enough')));
    await expect(hooksOn().hooks.run(command({ httpGet: { port } }), stop.signal)).rejects.toThrow('enough');
  });
});

describe('a hook that sleeps', () => {
  it('takes its time', async () => {
    const clock = new FakeClock();
    const slept = hooksOn({ clock }).hooks.run(command({ sleep: { seconds: 5 } }));
    await clock.advance(4999);
    expect(clock.pending).toBe(1);
    await clock.advance(1);
    await slept;
  });

  it('fails when it is aborted', async () => {
    const stop = new AbortController();
    const slept = hooksOn().hooks.run(command({ sleep: { seconds: 5 } }), stop.signal);
    stop.abort();
    await expect(slept).rejects.toThrow('container terminated before sleep hook finished');
  });
});

const unsupported: Record<string, [LifecycleHandler, string]> = {
  'a port': [
    { tcpSocket: { port: 80 } },
    '&LifecycleHandler{Exec:nil,HTTPGet:nil,TCPSocket:&TCPSocketAction{Port:{0 80 },Host:,},Sleep:nil,}',
  ],
  nothing: [{}, '&LifecycleHandler{Exec:nil,HTTPGet:nil,TCPSocket:nil,Sleep:nil,}'],
};
it.each(Object.entries(unsupported))('a hook with %s fails', async (_, [handler, text]) => {
  expect(await failureOf(handler)).toBe(`Cannot run handler: invalid handler: ${text}`);
});
