import { createHash, randomBytes } from 'node:crypto';
import { isNotFound } from '@coxswain/apimachinery/errors';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { TransportError } from '../transport/index.ts';
import { attach } from './attach.ts';
import { RemoteCommandError } from './command-status.ts';
import { exec, execOutput } from './exec.ts';
import { type Cluster, startCluster } from './fake-kubelet.test-data.ts';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster.stop());
afterEach(() => {
  cluster.kubelet.protocols = ['v5.channel.k8s.io', 'v4.channel.k8s.io'];
  cluster.kubelet.onExec = undefined;
});

const one = { namespace: 'default', pod: 'one' };
const sh = (script: string) => ({ ...one, command: ['sh', '-c', script] });

describe('exec', () => {
  it.each([0, 7, 137, 255])('resolves with exit code %j', async (code) => {
    expect(await exec(cluster.client, sh(`exit ${code}`))).toEqual({ exitCode: code });
  });

  it('separates stdout and stderr', async () => {
    expect(await execOutput(cluster.client, sh('echo out; echo err >&2; exit 3'))).toEqual({
      exitCode: 3,
      stdout: 'out\n',
      stderr: 'err\n',
    });
  });

  it('sends and receives ten megabytes unchanged, and signals the end of the input', async () => {
    const input = randomBytes(10 * 1024 * 1024);
    const hash = createHash('sha256');
    let length = 0;
    const result = await exec(cluster.client, {
      ...one,
      command: ['cat'],
      stdin: (async function* () {
        for (let at = 0; at < input.length; at += 100_000) yield input.subarray(at, at + 100_000);
      })(),
      stdout: async (chunk) => {
        hash.update(chunk);
        length += chunk.length;
        if (length % 7 === 0) await new Promise((resolve) => setImmediate(resolve));
      },
    });
    expect(result).toEqual({ exitCode: 0 });
    expect(length).toBe(input.length);
    expect(hash.digest('hex')).toBe(createHash('sha256').update(input).digest('hex'));
  });

  it('writes to web streams and leaves them open', async () => {
    const written: string[] = [];
    const stream = new WritableStream<Uint8Array>({
      write: (chunk) => void written.push(Buffer.from(chunk).toString()),
    });
    await exec(cluster.client, { ...sh('echo -n one'), stdout: stream });
    await exec(cluster.client, { ...sh('echo -n two'), stdout: stream });
    expect(written.join()).toBe('one,two');
  });

  it('applies backpressure to a command that writes faster than its output is read', async () => {
    const total = 50_000_000;
    let chunks = 0;
    let release = () => {};
    const blocked = new Promise<void>((resolve) => {
      release = resolve;
    });
    const index = cluster.kubelet.commands.length;
    const running = exec(cluster.client, {
      ...sh(`head -c ${total} /dev/zero`),
      stdout: () => {
        chunks++;
        return blocked;
      },
    });
    const command = await cluster.kubelet.command(index);
    let before = -1;
    await vi.waitUntil(
      () => {
        const isStalled = command.sentBytes > 0 && command.sentBytes === before;
        before = command.sentBytes;
        return isStalled;
      },
      { interval: 100, timeout: 5_000 },
    );
    expect(chunks).toBe(1);
    expect(command.sentBytes).toBeLessThan(total);
    release();
    expect(await running).toEqual({ exitCode: 0 });
  });

  it('requests a terminal and sends its sizes', async () => {
    const index = cluster.kubelet.commands.length;
    let resize = (_: { width: number; height: number }) => {};
    const sizes = new ReadableStream<{ width: number; height: number }>({
      start: (controller) => {
        resize = (size) => controller.enqueue(size);
      },
    });
    const running = exec(cluster.client, {
      ...one,
      command: ['cat'],
      stdin: (async function* () {
        resize({ width: 80, height: 24 });
        resize({ width: 132, height: 43 });
        const command = await cluster.kubelet.command(index);
        while (command.sizes.length < 2) await new Promise((resolve) => setImmediate(resolve));
        yield 'bye';
      })(),
      stdout: () => {},
      stderr: () => {},
      tty: true,
      resize: sizes,
    });
    expect(await running).toEqual({ exitCode: 0 });
    const { query, sizes: seen } = await cluster.kubelet.command(index);
    expect(seen).toEqual([
      { Width: 80, Height: 24 },
      { Width: 132, Height: 43 },
    ]);
    expect([...query]).toEqual([
      ['command', 'cat'],
      ['input', '1'],
      ['output', '1'],
      ['tty', '1'],
    ]);
  });

  it.each([
    ['the given container', { pod: 'two', container: 'first' }, 'first'],
    ['the container of the annotation', { pod: 'two' }, 'second'],
    ['the first container', { pod: 'three' }, 'first'],
  ])('uses %s', async (_, target, container) => {
    const index = cluster.kubelet.commands.length;
    await exec(cluster.client, { ...one, ...target, command: ['true'] });
    expect((await cluster.kubelet.command(index)).container).toBe(container);
  });

  it('stops reading its input when the command has ended', async () => {
    let isTold = false;
    const stdin: AsyncIterable<Uint8Array> = {
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise(() => {}),
        return: async () => {
          isTold = true;
          return { done: true, value: undefined };
        },
      }),
    };
    expect(await exec(cluster.client, { ...sh('exit 4'), stdin })).toEqual({ exitCode: 4 });
    expect(isTold).toBe(true);
  });

  it('resolves when the command ends while its input is still sent', async () => {
    const stdin = (async function* () {
      for (;;) yield new Uint8Array(100_000);
    })();
    expect(await exec(cluster.client, { ...sh('head -c 1000000 >/dev/null; exit 6'), stdin })).toEqual({ exitCode: 6 });
  });

  it('leaves the choice of the container to the server when the pod may not be read', async () => {
    const apiGroup = 'rbac.authorization.k8s.io';
    const create = (resource: string, body: object) =>
      cluster.client.request({ method: 'POST', path: `/apis/${apiGroup}/v1/${resource}`, body });
    await create('clusterroles', {
      metadata: { name: 'exec' },
      rules: [{ apiGroups: [''], resources: ['pods/exec'], verbs: ['get', 'create'] }],
    });
    await create('clusterrolebindings', {
      metadata: { name: 'exec' },
      roleRef: { apiGroup, kind: 'ClusterRole', name: 'exec' },
      subjects: [{ apiGroup, kind: 'User', name: 'runner' }],
    });
    const runner = cluster.clientOf('runner');
    await vi.waitFor(async () => expect(await exec(runner, sh('exit 8'))).toEqual({ exitCode: 8 }), { timeout: 5_000 });
    await expect(exec(runner, { ...sh('true'), pod: 'three' })).rejects.toThrow('a container name must be specified');
  });

  it('does not signal the end of the input when the server does not support it', async () => {
    cluster.kubelet.protocols = ['v4.channel.k8s.io'];
    let output = '';
    const stdout = (chunk: Uint8Array) => {
      output += Buffer.from(chunk).toString();
    };
    const result = await exec(cluster.client, {
      ...sh('read line; echo "<$line>"; exit 2'),
      stdin: ['hello\n'],
      stdout,
    });
    expect([result, output]).toEqual([{ exitCode: 2 }, '<hello>\n']);
  });
});

describe('exec rejects', () => {
  it('with an ApiError when the pod does not exist', async () => {
    await expect(exec(cluster.client, { ...one, pod: 'none', command: ['ls'] })).rejects.toSatisfy(isNotFound);
    await expect(exec(cluster.client, { ...one, pod: 'none', container: 'main', command: ['ls'] })).rejects.toSatisfy(
      isNotFound,
    );
  });

  it('with an ApiError when the server rejects the request', async () => {
    const refused = exec(cluster.client, { ...one, container: 'other', command: ['ls'] });
    await expect(refused).rejects.toMatchObject({
      name: 'ApiError',
      status: { code: 400, message: 'container other is not valid for pod one' },
    });
  });

  it('with an ApiError when the node rejects the upgrade', async () => {
    cluster.kubelet.protocols = ['v9.channel.k8s.io'];
    await expect(exec(cluster.client, sh('true'))).rejects.toMatchObject({ name: 'ApiError', status: { code: 403 } });
  });

  it('when the command cannot be run', async () => {
    const failed = exec(cluster.client, { ...one, command: ['no-such-command'] });
    await expect(failed).rejects.toThrow(/^Internal error occurred: error executing command in container: .*ENOENT/);
    await expect(failed).rejects.toBeInstanceOf(RemoteCommandError);
  });

  it('when the connection is cut', async () => {
    const index = cluster.kubelet.commands.length;
    const running = exec(cluster.client, sh('sleep 100'));
    await cluster.kubelet.command(index);
    cluster.kubelet.cut();
    await expect(running).rejects.toBeInstanceOf(TransportError);
  });

  it.each([
    ['no status', (send: (text?: string) => void) => send()],
    ['a status without an exit code', (send) => send('{"status":"Failure","reason":"NonZeroExitCode"}')],
    ['an unknown status', (send) => send('{"status":"Maybe"}')],
    ['plain text', (send) => send('something is wrong')],
    ['a truncated status', (send) => send('{"status":"Suc')],
  ] satisfies [string, (send: (text?: string) => void) => void][])('when there is %s', async (_, act) => {
    cluster.kubelet.onExec = (socket) => {
      act((text) => {
        if (text) socket.send(Buffer.from(`\u0003${text}`));
        socket.close(1000);
      });
    };
    await expect(exec(cluster.client, sh('true'))).rejects.toBeInstanceOf(RemoteCommandError);
  });

  it('with the error of the input', async () => {
    const oops = new Error('oops');
    const stdin = (async function* () {
      yield 'a';
      throw oops;
    })();
    await expect(exec(cluster.client, { ...one, command: ['cat'], stdin })).rejects.toBe(oops);
  });

  it('with the error of a sink, and ends the command', async () => {
    const oops = new Error('oops');
    const index = cluster.kubelet.commands.length;
    const stdout = () => {
      throw oops;
    };
    await expect(exec(cluster.client, { ...sh('echo; sleep 100'), stdout })).rejects.toBe(oops);
    await ended(index);
  });

  it('with the reason of the signal, and ends the command', async () => {
    const controller = new AbortController();
    const index = cluster.kubelet.commands.length;
    const running = exec(cluster.client, { ...sh('sleep 100'), signal: controller.signal });
    await cluster.kubelet.command(index);
    const enough = new Error('enough');
    controller.abort(enough);
    await expect(running).rejects.toBe(enough);
    await ended(index);
    await expect(exec(cluster.client, { ...sh('true'), signal: controller.signal })).rejects.toBe(enough);
  });

  it('with the reason of the signal while a sink is pending', async () => {
    const controller = new AbortController();
    const enough = new Error('enough');
    const stdout = () => {
      controller.abort(enough);
      return new Promise(() => {});
    };
    await expect(exec(cluster.client, { ...sh('echo'), stdout, signal: controller.signal })).rejects.toBe(enough);
  });

  it('when the output exceeds maxOutputBytes', async () => {
    await expect(execOutput(cluster.client, { ...sh('yes'), maxOutputBytes: 1000 })).rejects.toThrow(
      'more than 1000 bytes of output',
    );
  });
});

describe('attach', () => {
  it('attaches to the streams of the process', async () => {
    let output = '';
    const result = await attach(cluster.client, {
      ...one,
      stdin: ['hello'],
      stdout: (chunk) => {
        output += Buffer.from(chunk).toString();
      },
    });
    expect([result, output]).toEqual([{ exitCode: 0 }, 'hello']);
    expect(cluster.kubelet.offered.at(-1)).toBe('attach v5.channel.k8s.io, v4.channel.k8s.io');
  });
});

async function ended(index: number): Promise<void> {
  const { process } = await cluster.kubelet.command(index);
  if (process.exitCode === null && process.signalCode === null) {
    await new Promise((resolve) => process.once('exit', resolve));
  }
}
