import { once } from 'node:events';
import { createServer } from 'node:net';
import type { ContainerConfig } from '@coxswain/cri';
import type { Init } from '@coxswain/grpc/protobuf';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { busyboxName, containerProblem, ScratchRuntime } from './scratch-runtime.test-data.ts';
import { SpdyClient } from './streaming/spdy-client.test-data.ts';

const problem = await containerProblem();
const v4 = ['v4.channel.k8s.io'];

describe.skipIf(problem)('sessions', () => {
  let scratch: ScratchRuntime;
  let podSandboxId: string;
  let containerId: string;

  const runtime = () => scratch.cri.runtime;
  async function container(name: string, script: string, config: Init<ContainerConfig> = {}): Promise<string> {
    const request = {
      podSandboxId,
      config: {
        metadata: { name },
        image: { image: busyboxName },
        command: ['/bin/sh', '-c', script],
        logPath: `${name}.log`,
        ...config,
      },
    };
    const created = await runtime().createContainer(request);
    await runtime().startContainer(created);
    return created.containerId;
  }

  beforeAll(async () => {
    scratch = await ScratchRuntime.start();
    const config = {
      metadata: { name: 'web', namespace: 'default', uid: 'u-1' },
      hostname: 'web',
      logDirectory: `${scratch.directory}/logs`,
      linux: { securityContext: { namespaceOptions: { pid: 'CONTAINER' as const } } },
    };
    ({ podSandboxId } = await runtime().runPodSandbox({ config }));
    containerId = await container('main', 'exec sleep 1000');
  });
  afterAll(() => scratch?.close());

  const script = (text: string) => ['/bin/sh', '-c', text];

  it('keep output and errors apart, and lose nothing at the end', async () => {
    const cmd = script('yes 0123456789 | head -c 3000000; echo problem >&2; exit 7');
    const { url } = await runtime().exec({ containerId, cmd, stdout: true, stderr: true });
    const client = await SpdyClient.connect(url, v4);
    expect(client.protocol).toBe('v4.channel.k8s.io');
    const [error, stdout, stderr] = ['error', 'stdout', 'stderr'].map((streamtype) => client.open({ streamtype }));
    await client.closed();
    expect(stdout?.text.length).toBe(3_000_000);
    expect(stderr?.text).toBe('problem\n');
    expect(JSON.parse(error?.text ?? '')).toMatchObject({
      status: 'Failure',
      reason: 'NonZeroExitCode',
      details: { causes: [{ reason: 'ExitCode', message: '7' }] },
    });
  });

  it('end the input of a command when the client ends its own', async () => {
    const { url } = await runtime().exec({ containerId, cmd: ['cat'], stdin: true, stdout: true });
    const client = await SpdyClient.connect(url, v4);
    const [error, stdin, stdout] = ['error', 'stdin', 'stdout'].map((streamtype) => client.open({ streamtype }));
    stdin?.write('one');
    stdin?.write('two');
    stdin?.end();
    await client.closed();
    expect(stdout?.text).toBe('onetwo');
    expect(JSON.parse(error?.text ?? '')).toEqual({ metadata: {}, status: 'Success' });
  });

  it('have a terminal with a size', async () => {
    const { url } = await runtime().exec({ containerId, cmd: ['sh'], stdin: true, stdout: true, tty: true });
    const client = await SpdyClient.connect(url, v4);
    const [error, stdin, stdout, resize] = ['error', 'stdin', 'stdout', 'resize'].map((streamtype) =>
      client.open({ streamtype }),
    );
    resize?.write('{"Width":99,"Height":33}\n');
    stdin?.write('while [ "$(stty size)" != "33 99" ]; do sleep 0.05; done; echo size $(stty size); tty; exit 5\n');
    await client.closed();
    expect(stdout?.text).toContain('size 33 99\r\n');
    expect(stdout?.text).toContain('/dev/pts/');
    expect(error?.text).toContain('"message":"5"');
  });

  it.each([false, true])('say why a command could not be started (terminal: %s)', async (tty) => {
    const { url } = await runtime().exec({ containerId, cmd: ['no-such-program'], stdout: true, tty });
    const client = await SpdyClient.connect(url, v4);
    const [error] = ['error', 'stdout', ...(tty ? ['resize'] : [])].map((streamtype) => client.open({ streamtype }));
    await client.closed();
    const status = JSON.parse(error?.text ?? '');
    expect(status.reason).toBe('InternalError');
    expect(status.message).toContain('"no-such-program": executable file not found in $PATH');
  });

  it.each([false, true])('end a command when its client goes (terminal: %s)', async (tty) => {
    const { url } = await runtime().exec({ containerId, cmd: script('echo here; sleep 4242'), stdout: true, tty });
    const client = await SpdyClient.connect(url, v4);
    const names = ['error', 'stdout', ...(tty ? ['resize'] : [])];
    const [, stdout] = names.map((streamtype) => client.open({ streamtype }));
    await client.until(() => stdout?.text.trimEnd() === 'here');
    client.cut();
    const find = script('while ps | grep "sleep 424[2]"; do sleep 0.05; done');
    const { exitCode } = await runtime().execSync({ containerId, cmd: find, timeout: 20 });
    expect(exitCode).toBe(0);
  });

  it('kill all that a command has started when its time is up', async () => {
    const cmd = script('(setsid sleep 5151 &) ; sleep 5151 & sleep 5151');
    await expect(runtime().execSync({ containerId, cmd, timeout: 1 })).rejects.toThrow(/code = DeadlineExceeded/);
    const { exitCode } = await runtime().execSync({
      containerId,
      cmd: script('ps | grep "sleep 515[1]"'),
      timeout: 20,
    });
    expect(exitCode).toBe(1);
  });

  it('do not wait for what a command has left behind', async () => {
    const cmd = script('echo first; sleep 6161 & echo last');
    const { stdout } = await runtime().execSync({ containerId, cmd, timeout: 20 });
    expect(Buffer.from(stdout).toString()).toBe('first\nlast\n');
  });

  it('carry the streams of a WebSocket, with the end of each', async () => {
    const { url } = await runtime().exec({
      containerId,
      cmd: script('cat; echo oh >&2; exit 3'),
      stdin: true,
      stdout: true,
      stderr: true,
    });
    const socket = new WebSocket(url.replace('http', 'ws'), ['v5.channel.k8s.io']);
    const messages: Buffer[] = [];
    socket.on('message', (data: Buffer) => messages.push(data));
    await once(socket, 'open');
    socket.send(Buffer.from('\0text'));
    socket.send(Buffer.from([255, 0]));
    const [code] = await once(socket, 'close');
    expect(code).toBe(1000);
    const on = (channel: number) =>
      Buffer.concat(messages.filter(([first]) => first === channel).map((data) => data.subarray(1))).toString();
    expect([on(1), on(2)]).toEqual(['text', 'oh\n']);
    expect(JSON.parse(on(3))).toMatchObject({ details: { causes: [{ message: '3' }] } });
  });

  it('are open to each token once', async () => {
    const { url } = await runtime().exec({ containerId, cmd: ['true'], stdout: true });
    const client = await SpdyClient.connect(url, v4);
    await expect(SpdyClient.connect(url, v4)).rejects.toThrow('404');
    client.cut();
  });

  it('attach to the first process of a container', async () => {
    const id = await container('echo', 'while read -r line; do echo "got $line"; done; echo end', {
      stdin: true,
      stdinOnce: true,
    });
    const { url } = await runtime().attach({ containerId: id, stdin: true, stdout: true, stderr: true });
    const client = await SpdyClient.connect(url, v4);
    const [error, stdin, stdout] = ['error', 'stdin', 'stdout', 'stderr'].map((streamtype) =>
      client.open({ streamtype }),
    );
    stdin?.write('one\n');
    await client.until(() => stdout?.text === 'got one\n');
    stdin?.end();
    await client.closed();
    expect(stdout?.text).toBe('got one\nend\n');
    expect(JSON.parse(error?.text ?? '')).toEqual({ metadata: {}, status: 'Success' });
  });

  it('attach to a terminal, with its size', async () => {
    const id = await container('terminal', 'exec sh', { stdin: true, tty: true });
    const { url } = await runtime().attach({ containerId: id, stdin: true, stdout: true, tty: true });
    const client = await SpdyClient.connect(url, v4);
    const [, stdin, stdout, resize] = ['error', 'stdin', 'stdout', 'resize'].map((streamtype) =>
      client.open({ streamtype }),
    );
    resize?.write('{"Width":88,"Height":22}');
    stdin?.write('while [ "$(stty size)" != "22 88" ]; do sleep 0.05; done; echo size $(stty size)\n');
    await client.until(() => stdout?.text.includes('size 22 88\r\n') ?? false);
    client.cut();
    expect((await runtime().containerStatus({ containerId: id })).status?.state).toBe('CONTAINER_RUNNING');
  });

  it('forward ports of a pod, each direction with an end of its own', async () => {
    await container('server', 'exec nc -l -p 7070 -e sh -c "cat; echo ended"');
    const waits = script('until netstat -ltn | grep -q :7070; do sleep 0.05; done');
    expect((await runtime().execSync({ containerId, cmd: waits, timeout: 20 })).exitCode).toBe(0);
    const { url } = await runtime().portForward({ podSandboxId });
    const client = await SpdyClient.connect(url, ['portforward.k8s.io']);
    const [error, data] = ['error', 'data'].map((streamtype) =>
      client.open({ streamtype, port: '7070', requestid: '1' }),
    );
    data?.write('ping ');
    await client.until(() => data?.text === 'ping ');
    data?.end();
    await client.until(() => data?.isEnded ?? false);
    expect(data?.text).toBe('ping ended\n');
    expect(error?.text).toBe('');
    const [otherError, other] = ['error', 'data'].map((streamtype) =>
      client.open({ streamtype, port: '1', requestid: '2' }),
    );
    await client.until(() => (other?.isEnded && otherError?.isEnded) ?? false);
    expect(otherError?.text).toContain('error forwarding port 1: failed to connect to localhost:1 inside namespace');
    client.cut();
  });

  it("forward ports of a pod in the node's network over a WebSocket", async () => {
    const config = {
      metadata: { name: 'host', namespace: 'default', uid: 'u-2' },
      linux: { securityContext: { namespaceOptions: { network: 'NODE' as const, pid: 'CONTAINER' as const } } },
    };
    const sandbox = await runtime().runPodSandbox({ config });
    const server = createServer((socket) => socket.end('from the node'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const { url } = await runtime().portForward({ ...sandbox, port: [port] });
    const socket = new WebSocket(url.replace('http', 'ws'), v4);
    const messages: Buffer[] = [];
    socket.on('message', (data: Buffer) => messages.push(data));
    await once(socket, 'close');
    server.close();
    expect(messages[0]?.subarray(1).readUInt16LE()).toBe(port);
    const data = messages.slice(2).filter(([channel]) => channel === 0);
    expect(Buffer.concat(data.map((message) => message.subarray(1))).toString()).toBe('from the node');
  });
});
