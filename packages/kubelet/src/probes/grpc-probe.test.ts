import type { OutgoingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import { FakeClock } from '@coxswain/client';
import { afterEach, describe, expect, it } from 'vitest';
import { TestServers } from '../actions/test-servers.test-data.ts';
import { probeOnce } from './probing.test-data.ts';

const servers = new TestServers();
afterEach(() => servers.close());

const probeGrpc = (port: number, service?: string, clock?: FakeClock) =>
  probeOnce({ probe: { grpc: { port, ...(service !== undefined && { service }) } }, ...(clock && { clock }) });

const grpc = { ':status': 200, 'content-type': 'application/grpc' };

/** Answers with a message and trailers. */
function answer(stream: ServerHttp2Stream, message: readonly number[], trailers: OutgoingHttpHeaders): void {
  stream.respond(grpc, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers(trailers));
  stream.end(Buffer.from(message.length === 0 ? [] : [0, 0, 0, 0, message.length, ...message]));
}
const status =
  (number: number): ((stream: ServerHttp2Stream) => void) =>
  (stream) =>
    answer(stream, number === 0 ? [] : [8, number], { 'grpc-status': 0 });
const refuse =
  (code: number, message: string): ((stream: ServerHttp2Stream) => void) =>
  (stream) =>
    stream.respond({ ...grpc, 'grpc-status': code, 'grpc-message': message }, { endStream: true });

describe('a gRPC probe', () => {
  it('asks the health service for the pod’s service', async () => {
    let seen: unknown;
    const port = await servers.http2((stream, path) => {
      stream.once('data', (body: Buffer) => {
        seen = [path, body.toString('latin1')];
        status(1)(stream);
      });
    });
    expect(await probeGrpc(port, 'shop')).toEqual({ outcome: 'Success', output: 'service healthy' });
    expect(seen).toEqual(['/grpc.health.v1.Health/Check', '\0\0\0\0\x06\n\x04shop']);
  });

  const failures: Record<string, [(stream: ServerHttp2Stream) => void, string]> = {
    'if the service is not serving': [status(2), 'service unhealthy (responded with "NOT_SERVING")'],
    'with an unknown status': [status(17), 'service unhealthy (responded with "17")'],
    'without the health service': [
      refuse(12, 'unknown service grpc.health.v1.Health'),
      'error: this server does not implement the grpc health protocol (grpc.health.v1.Health): unknown service grpc.health.v1.Health',
    ],
    'if the service is unknown': [
      refuse(5, 'unknown service'),
      'error: health rpc probe failed: rpc error: code = NotFound desc = unknown service',
    ],
    'with an error whose text is escaped': [
      (stream) => answer(stream, [], { 'grpc-status': 13, 'grpc-message': 'br%C3%B6ken: 100%25' }),
      'error: health rpc probe failed: rpc error: code = Internal desc = bröken: 100%',
    ],
    'if the server says that it was too late': [refuse(4, 'late'), 'timeout: health rpc did not complete within 1s'],
    'with a server of something else': [
      (stream) => {
        stream.respond({ ':status': 404, 'content-type': 'text/plain' });
        stream.end('no');
      },
      'error: this server does not implement the grpc health protocol (grpc.health.v1.Health): unexpected HTTP status code received from server: 404 (Not Found); transport: received unexpected content-type "text/plain"',
    ],
    'with an answer without trailers': [
      (stream) => {
        stream.respond(grpc);
        stream.end('hi');
      },
      'error: health rpc probe failed: rpc error: code = Internal desc = server closed the stream without sending trailers',
    ],
    'if the call is reset': [
      (stream) => stream.close(2),
      'error: health rpc probe failed: rpc error: code = Internal desc = stream terminated by RST_STREAM with error code: INTERNAL_ERROR',
    ],
    'if the connection is closed': [
      (stream) => stream.session?.destroy(),
      'error: health rpc probe failed: rpc error: code = Unavailable desc = error reading from server: EOF',
    ],
    'with an endless answer': [
      (stream) => {
        stream.respond(grpc);
        const write = (): void => {
          while (stream.write(Buffer.alloc(4096)) && !stream.destroyed);
        };
        stream.on('drain', write);
        write();
      },
      'error: health rpc probe failed: rpc error: code = ResourceExhausted desc = grpc: received message larger than max',
    ],
  };
  it.each(Object.entries(failures))('fails %s', async (_, [respond, output]) => {
    const port = await servers.http2(respond);
    expect(await probeGrpc(port)).toEqual({
      outcome: 'Failure',
      output: expect.stringMatching(new RegExp(`^${output.replace(/[()]/g, '\\$&')}`)),
    });
  });

  it('fails if the call takes too long', async () => {
    const clock = new FakeClock();
    const port = await servers.http2(() => void clock.advance(1000));
    const output = 'timeout: health rpc did not complete within 1s';
    expect(await probeGrpc(port, '', clock)).toEqual({ outcome: 'Failure', output });
  });

  it('tries to connect until its time is over', async () => {
    const clock = new FakeClock();
    const port = await servers.closedPort();
    const result = probeGrpc(port, '', clock);
    await clock.whenWaiting(2);
    await clock.advance(1000);
    const output = `timeout: failed to connect service "127.0.0.1:${port}" within 1s: context deadline exceeded`;
    expect(await result).toEqual({ outcome: 'Failure', output });
  });

  it('fails if the server does not speak HTTP/2', async () => {
    const clock = new FakeClock();
    const port = await servers.answering(() => void clock.advance(1000));
    expect((await probeGrpc(port, '', clock)).output).toMatch(/^timeout: failed to connect service /);
  });
});
