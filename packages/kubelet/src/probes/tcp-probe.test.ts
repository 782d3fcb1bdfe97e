import type { TCPSocketAction } from '@coxswain/api/core/v1';
import { FakeClock } from '@coxswain/client';
import { afterEach, describe, expect, it } from 'vitest';
import { TestServers } from '../actions/test-servers.test-data.ts';
import { probeOnce } from './probing.test-data.ts';

const servers = new TestServers();
afterEach(() => servers.close());

const probeTcp = (tcpSocket: TCPSocketAction) => probeOnce({ probe: { tcpSocket } });

describe('a TCP probe', () => {
  it('passes when it can connect, and closes the connection in good order', async () => {
    let ended: Promise<string> | undefined;
    const port = await servers.tcp((socket) => {
      ended = new Promise((resolve) => {
        socket.once('end', () => resolve('closed')).once('error', ({ message }) => resolve(message));
        socket.resume();
      });
    });
    expect(await probeTcp({ port })).toEqual({ outcome: 'Success', output: '' });
    await expect.poll(() => ended).toBe('closed');
  });

  it('fails when nobody listens', async () => {
    const port = await servers.closedPort();
    const output = `dial tcp 127.0.0.1:${port}: connect: connection refused`;
    expect(await probeTcp({ port })).toEqual({ outcome: 'Failure', output });
    expect(await probeTcp({ port, host: 'localhost' })).toMatchObject({ outcome: 'Failure' });
  });

  it('fails when there is no answer in time', async () => {
    const clock = new FakeClock();
    const port = await servers.unansweredPort();
    const result = probeOnce({ clock, probe: { tcpSocket: { port }, timeoutSeconds: 2 } });
    await clock.advance(2000);
    expect(await result).toEqual({ outcome: 'Failure', output: `dial tcp 127.0.0.1:${port}: i/o timeout` });
  });

  it('is an error without such a port', async () => {
    await expect(probeTcp({ port: 70_000 })).rejects.toThrow('invalid port number: 70000');
  });
});
