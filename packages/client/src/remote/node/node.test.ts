import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { FakeClock } from '@coxswain/apimachinery/clock';
import { isForbidden, isNotFound } from '@coxswain/apimachinery/errors';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { RESTClient } from '../../rest/rest-client.ts';
import { TransportError } from '../../transport/index.ts';
import { exec } from '../exec.ts';
import { type Cluster, startCluster } from '../fake-kubelet.test-data.ts';
import { PortForwardError } from '../forwarded-stream.ts';
import { TarError } from '../tar/header.ts';
import { writeTar } from '../tar/write-tar.ts';
import { CopyError, copyFromPod, copyToPod } from './copy.ts';
import { portForward } from './port-forward.ts';
import { sinkTo, sourceOf } from './streams.ts';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster.stop());

const one = { namespace: 'default', pod: 'one' };

describe('portForward', () => {
  let pod: Server;
  let port: number;
  beforeAll(async () => {
    pod = createServer({ allowHalfOpen: true }, (socket) => {
      socket.on('error', () => {});
      socket.pipe(socket);
    }).listen(0, '127.0.0.1');
    await once(pod, 'listening');
    port = (pod.address() as AddressInfo).port;
  });
  afterAll(() => pod.close());
  afterEach(() => {
    cluster.kubelet.tunnelsSpdy = true;
  });

  /** Sends bytes to a local port, half-closes, and returns the received bytes. */
  async function exchange(local: number, bytes: Uint8Array, waitFor = Number.POSITIVE_INFINITY): Promise<Buffer> {
    const socket = connect({ port: local, host: '127.0.0.1', allowHalfOpen: true });
    const received: Buffer[] = [];
    let length = 0;
    socket.write(bytes);
    if (waitFor === Number.POSITIVE_INFINITY) socket.end();
    for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
      received.push(chunk);
      length += chunk.length;
      if (length >= waitFor) break;
    }
    socket.destroy();
    return Buffer.concat(received);
  }

  it('forwards many concurrent connections over one WebSocket', async () => {
    const before = cluster.kubelet.offered.length;
    const forward = await portForward(cluster.client, { ...one, ports: [`:${port}`] });
    expect(forward.ports).toEqual([{ local: expect.any(Number), remote: port }]);
    const inputs = [randomBytes(3_000_000), ...Array.from({ length: 10 }, (_, index) => randomBytes(1000 + index))];
    const outputs = await Promise.all(inputs.map((input) => exchange(forward.ports[0]!.local, input)));
    expect(outputs.map((output, index) => output.equals(inputs[index]!))).toEqual(inputs.map(() => true));
    expect(cluster.kubelet.offered.slice(before)).toEqual(['portForward SPDY/3.1+portforward.k8s.io']);
    await forward.close();
    await expect(exchange(forward.ports[0]!.local, Buffer.of(1))).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('falls back to a WebSocket for each connection', async () => {
    cluster.kubelet.tunnelsSpdy = false;
    const forward = await portForward(cluster.client, { ...one, ports: [`:${port}`] });
    const input = randomBytes(1_000_000);
    const { local } = forward.ports[0]!;
    const outputs = await Promise.all([exchange(local, input, input.length), exchange(local, Buffer.from('a'), 1)]);
    expect([outputs[0]!.equals(input), outputs[1]!.toString()]).toEqual([true, 'a']);
    expect(cluster.kubelet.offered.slice(-2)).toEqual([
      'portForward v4.channel.k8s.io',
      'portForward v4.channel.k8s.io',
    ]);
    await forward.close();
  });

  it('closes a half-closed connection after a while when the protocol cannot signal it', async () => {
    const clock = new FakeClock();
    const forward = await portForward(cluster.client, { ...one, protocol: 'channels', ports: [`:${port}`], clock });
    const socket = connect({ port: forward.ports[0]!.local, host: '127.0.0.1', allowHalfOpen: true });
    socket.end('a');
    const ended = once(socket, 'end');
    await once(socket, 'data');
    await expect.poll(() => clock.pending).toBe(1);
    await clock.advance(30_000);
    await ended;
    await forward.close();
    expect(clock.pending).toBe(0);
  });

  it.each(['spdy', 'channels'] as const)('reports the error of the node, and continues (%s)', async (protocol) => {
    const unused = createServer().listen(0, '127.0.0.1');
    await once(unused, 'listening');
    const { port: closed } = unused.address() as AddressInfo;
    unused.close();
    const errors: unknown[] = [];
    const forward = await portForward(cluster.client, {
      ...one,
      protocol,
      ports: [`:${closed}`, `:${port}`],
      onError: (error, { remote }) => errors.push(error, remote),
    });
    const [bad, good] = forward.ports;
    await exchange(bad!.local, Buffer.from('a')).catch(() => {});
    await expect.poll(() => errors.length).toBe(2);
    expect(errors).toEqual([expect.any(PortForwardError), closed]);
    expect(String(errors[0])).toContain(`error forwarding port ${closed} to pod sandbox`);
    expect((await exchange(good!.local, Buffer.from('b'), 1)).toString()).toBe('b');
    await forward.close();
  });

  it('reconnects after the connection was lost', async () => {
    const forward = await portForward(cluster.client, { ...one, ports: [`:${port}`], onError: () => {} });
    const { local } = forward.ports[0]!;
    const socket = connect(local, '127.0.0.1');
    socket.on('error', () => {});
    socket.write('a');
    await once(socket, 'data');
    cluster.kubelet.cut();
    await once(socket, 'close');
    expect((await exchange(local, Buffer.from('again'))).toString()).toBe('again');
    await forward.close();
  });

  it('closes when its signal is aborted', async () => {
    const controller = new AbortController();
    const forward = await portForward(cluster.client, { ...one, ports: [`:${port}`], signal: controller.signal });
    const socket = connect(forward.ports[0]!.local, '127.0.0.1');
    socket.on('error', () => {});
    socket.write('a');
    await once(socket, 'data');
    controller.abort();
    await once(socket, 'close');
    await forward.close();
  });

  it('rejects with an ApiError when the pod does not exist', async () => {
    await expect(portForward(cluster.client, { ...one, pod: 'none', ports: [1] })).rejects.toSatisfy(isNotFound);
  });

  it.each(['a', '1:2:3', '1:0', '70000', '-1', ''])('rejects %j', async (spec) => {
    await expect(portForward(cluster.client, { ...one, ports: [spec] })).rejects.toBeInstanceOf(RangeError);
  });

  it('rejects when a local port is taken', async () => {
    const taken = portForward(cluster.client, { ...one, ports: [`${port}:${port}`], addresses: ['127.0.0.1'] });
    await expect(taken).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});

describe('over TLS', () => {
  it('commands are run and rejected as in the same process', async () => {
    const client = RESTClient.forConfig({ ...cluster.restConfig, qps: 0 });
    const input = randomBytes(1_000_000);
    let length = 0;
    const stdout = (chunk: Uint8Array) => {
      length += chunk.length;
    };
    const command = ['sh', '-c', 'cat; exit 7'];
    expect(await exec(client, { ...one, command, stdin: [input], stdout })).toEqual({ exitCode: 7 });
    expect(length).toBe(input.length);
    await expect(exec(client, { ...one, container: 'other', command })).rejects.toMatchObject({
      status: { code: 400, message: 'container other is not valid for pod one' },
    });
    const anonymous = RESTClient.forConfig({ server: cluster.restConfig.server, tls: cluster.restConfig.tls!, qps: 0 });
    await expect(exec(anonymous, { ...one, container: 'main', command })).rejects.toSatisfy(isForbidden);
    const index = cluster.kubelet.commands.length;
    const cut = exec(client, { ...one, command: ['sleep', '100'] });
    await cluster.kubelet.command(index);
    await client.close();
    await expect(cut).rejects.toBeInstanceOf(TransportError);
    await anonymous.close();
  });
});

describe('copying', () => {
  let here: string;
  let there: string;
  beforeEach(async () => {
    here = await mkdtemp(join(tmpdir(), 'here-'));
    there = await mkdtemp(join(tmpdir(), 'there-'));
  });
  afterEach(async () => {
    await rm(here, { recursive: true });
    await rm(there, { recursive: true });
  });

  const long = `${'n'.repeat(120)}/${'m'.repeat(130)}`;

  async function makeTree(root: string): Promise<Buffer> {
    const large = randomBytes(3_000_001);
    await mkdir(join(root, 'tree/deep/empty'), { recursive: true });
    await mkdir(join(root, 'tree', 'n'.repeat(120)), { recursive: true });
    await writeFile(join(root, 'tree/large'), large);
    await writeFile(join(root, 'tree/deep/none'), '');
    await writeFile(join(root, 'tree', long), 'long');
    await writeFile(join(root, 'tree/run.sh'), '#!/bin/sh\n');
    await chmod(join(root, 'tree/run.sh'), 0o755);
    await symlink('../large', join(root, 'tree/deep/link'));
    return large;
  }

  async function treeOf(root: string): Promise<string[]> {
    const entries = await readdir(root, { recursive: true, withFileTypes: true });
    return entries.map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1)).sort();
  }

  it('copies a directory into a pod, with modes and links', async () => {
    const large = await makeTree(here);
    await copyToPod(cluster.client, { ...one, localPath: join(here, 'tree'), remotePath: join(there, 'copy') });
    expect(await treeOf(join(there, 'copy'))).toEqual(await treeOf(join(here, 'tree')));
    expect((await readFile(join(there, 'copy/large'))).equals(large)).toBe(true);
    expect(await readFile(join(there, 'copy', long), 'utf8')).toBe('long');
    expect((await stat(join(there, 'copy/run.sh'))).mode & 0o777).toBe(0o755);
    expect(await readlink(join(there, 'copy/deep/link'))).toBe('../large');
  });

  it('copies a file into a directory of a pod', async () => {
    await writeFile(join(here, 'file'), 'content');
    await copyToPod(cluster.client, { ...one, localPath: join(here, 'file'), remotePath: there });
    expect(await readFile(join(there, 'file'), 'utf8')).toBe('content');
  });

  it('copies a directory from a pod, without symbolic links', async () => {
    const large = await makeTree(there);
    const skipped: string[] = [];
    const onSkip = (path: string, reason: string) => skipped.push(`${path.slice(here.length)}: ${reason}`);
    await copyFromPod(cluster.client, {
      ...one,
      remotePath: `${there}/./tree/`,
      localPath: join(here, 'new/copy'),
      onSkip,
    });
    const expected = (await treeOf(join(there, 'tree'))).filter((path) => path !== 'deep/link');
    expect(await treeOf(join(here, 'new/copy'))).toEqual(expected);
    expect((await readFile(join(here, 'new/copy/large'))).equals(large)).toBe(true);
    expect(await readFile(join(here, 'new/copy', long), 'utf8')).toBe('long');
    expect((await stat(join(here, 'new/copy/run.sh'))).mode & 0o777).toBe(0o755);
    expect(skipped).toEqual(['/new/copy/deep/link: symbolic link to ../large']);
  });

  it.each([
    ['to another name', 'other', 'other'],
    ['into a directory', '.', 'file'],
  ])('copies a file from a pod %s', async (_, localPath, expected) => {
    await writeFile(join(there, 'file'), 'content');
    await copyFromPod(cluster.client, {
      ...one,
      remotePath: join(there, 'file'),
      localPath: join(here, localPath),
    });
    expect(await readFile(join(here, expected), 'utf8')).toBe('content');
  });

  it('reports the error of tar', async () => {
    const failed = copyFromPod(cluster.client, { ...one, remotePath: join(there, 'none'), localPath: join(here, 'x') });
    await expect(failed).rejects.toBeInstanceOf(CopyError);
    await expect(failed).rejects.toThrow(/none/);
    await writeFile(join(here, 'file'), 'content');
    const refused = copyToPod(cluster.client, {
      ...one,
      localPath: join(here, 'file'),
      remotePath: join(there, 'none/none'),
    });
    await expect(refused).rejects.toBeInstanceOf(CopyError);
  });

  it.each(['../evil', '/evil', 'tree/../../evil', 'other/evil'])('rejects an archive with %j', async (name) => {
    const archive: Uint8Array[] = [];
    const content = async function* () {
      yield Buffer.from('evil');
    };
    const member = { name, type: 'file', mode: 0o644, mtime: 0, size: 4, content } as const;
    for await (const chunk of writeTar([member])) archive.push(chunk);
    cluster.kubelet.onExec = (socket) => {
      socket.send(Buffer.concat([Buffer.of(1), ...archive]));
      socket.send(Buffer.from('\u0003{"status":"Success"}'));
      socket.close(1000);
    };
    try {
      const copied = copyFromPod(cluster.client, { ...one, remotePath: '/tree', localPath: join(here, 'tree') });
      await expect(copied).rejects.toBeInstanceOf(TarError);
    } finally {
      cluster.kubelet.onExec = undefined;
    }
    expect(await treeOf(here)).toEqual([]);
  });

  it('rejects when there is nothing to copy', async () => {
    const nothing = copyToPod(cluster.client, { ...one, localPath: join(here, 'none'), remotePath: there });
    await expect(nothing).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

describe("Node's streams", () => {
  it('are sources and sinks', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'streams-'));
    const bytes = randomBytes(2_000_000);
    await writeFile(join(directory, 'in'), bytes);
    const output = createWriteStream(join(directory, 'out'));
    const stdin = sourceOf(createReadStream(join(directory, 'in')));
    expect(await exec(cluster.client, { ...one, command: ['cat'], stdin, stdout: sinkTo(output) })).toEqual({
      exitCode: 0,
    });
    output.end();
    await once(output, 'close');
    const hash = (data: Uint8Array) => createHash('sha256').update(data).digest('hex');
    expect(hash(await readFile(join(directory, 'out')))).toBe(hash(bytes));
    await rm(directory, { recursive: true });
  });

  it('are released when the command has ended, and can be read further', async () => {
    const stream = new PassThrough();
    expect(await exec(cluster.client, { ...one, command: ['true'], stdin: sourceOf(stream) })).toEqual({ exitCode: 0 });
    expect([stream.destroyed, stream.isPaused(), stream.listenerCount('readable')]).toEqual([false, true, 0]);
    stream.end('for others');
    stream.resume();
    const [data] = await once(stream, 'data');
    expect(String(data)).toBe('for others');
  });

  it('fail as sources and sinks', async () => {
    const broken = new PassThrough();
    broken.on('error', () => {});
    broken.destroy(new Error('oops'));
    await expect(exec(cluster.client, { ...one, command: ['cat'], stdin: sourceOf(broken) })).rejects.toThrow('oops');
    const closed = new PassThrough();
    closed.destroy();
    const failed = exec(cluster.client, { ...one, command: ['echo'], stdout: sinkTo(closed) });
    await expect(failed).rejects.toThrow('the stream is closed');
  });
});
