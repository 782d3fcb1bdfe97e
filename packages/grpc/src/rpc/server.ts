import { chmod, mkdir, unlink } from 'node:fs/promises';
import { connect as connectSocket } from 'node:net';
import { dirname } from 'node:path';
import { systemClock } from '@coxswain/apimachinery/clock';
import type { Server, ServerUnaryCall, ServerWritableStream, sendUnaryData } from '@grpc/grpc-js';
import { socketPath } from './client.ts';
import { unimplemented } from './in-process.ts';
import { rpcCodes, toRpcError } from './rpc-error.ts';
import type { AnyMethod, Handlers, ServeOptions, Service } from './service.ts';

/** A service with its handlers. */
export interface Served {
  readonly service: Service<Readonly<Record<string, unknown>>>;
  readonly handlers: Readonly<Record<string, unknown>>;
}

export const serve = <Methods extends Readonly<Record<string, unknown>>>(
  service: Service<Methods>,
  handlers: Handlers<Methods>,
): Served => ({ service, handlers: handlers as Served['handlers'] });

export interface GrpcServer {
  /** Refuses new calls, waits up to `graceMs` for calls in progress, and removes the socket. */
  close(graceMs?: number): Promise<void>;
}

export interface ServerOptions {
  /** The mode of the socket file; 0600 when absent. */
  readonly mode?: number;
  readonly maxMessageBytes?: number;
}

/** Serves on a Unix socket. Replaces the socket file of a killed process. Throws when another process listens on it. */
export async function listen(
  endpoint: string,
  served: readonly Served[],
  { mode = 0o600, maxMessageBytes = 16 * 1024 * 1024 }: ServerOptions = {},
): Promise<GrpcServer> {
  const path = socketPath(endpoint);
  await mkdir(dirname(path), { recursive: true });
  await removeStaleSocket(path);
  const grpc = await import('@grpc/grpc-js');
  const server = new grpc.Server({
    'grpc.max_receive_message_length': maxMessageBytes,
    'grpc.max_send_message_length': maxMessageBytes,
  });
  for (const each of served) addService(server, each);
  const previous = process.umask(0o777 & ~mode);
  try {
    // The socket file is created before this resolves, with a mode limited by the umask.
    await new Promise<void>((resolve, reject) => {
      server.bindAsync(`unix:${path}`, grpc.ServerCredentials.createInsecure(), (error) =>
        error ? reject(error) : resolve(),
      );
    });
  } finally {
    process.umask(previous);
  }
  await chmod(path, mode);
  return {
    async close(graceMs = 1_000) {
      await new Promise<void>((resolve) => {
        const timer = systemClock.setTimeout(() => server.forceShutdown(), graceMs);
        server.tryShutdown(() => {
          timer.cancel();
          resolve();
        });
      });
      await unlink(path).catch(ignoreMissing);
    },
  };
}

async function removeStaleSocket(path: string): Promise<void> {
  const listening = await new Promise<boolean>((resolve) => {
    const socket = connectSocket(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
  if (listening) throw new Error(`another process listens on ${path}`);
  await unlink(path).catch(ignoreMissing);
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

type UnaryHandler = (request: object, options: ServeOptions) => Promise<object>;
type StreamHandler = (request: object, options: ServeOptions) => AsyncIterable<object>;

function addService(server: Server, { service, handlers }: Served): void {
  for (const [key, each] of Object.entries(service.methods)) {
    const method = each as AnyMethod;
    const handler = handlers[key];
    server.register(
      `/${service.name}/${method.name}`,
      method.streams
        ? (call: ServerWritableStream<object, object>) =>
            answerMany(call, async function* (request, options) {
              if (!handler) throw unimplemented(service, method);
              yield* (handler as StreamHandler).call(handlers, request, options);
            })
        : (call: ServerUnaryCall<object, object>, callback: sendUnaryData<object>) =>
            answerOne(call, callback, async (request, options) => {
              if (!handler) throw unimplemented(service, method);
              return (handler as UnaryHandler).call(handlers, request, options);
            }),
      method.response.encode,
      method.request.decode,
      method.streams ? 'serverStream' : 'unary',
    );
  }
}

async function answerOne(
  call: ServerUnaryCall<object, object>,
  callback: sendUnaryData<object>,
  handler: UnaryHandler,
): Promise<void> {
  const controller = new AbortController();
  call.on('cancelled', () => controller.abort());
  try {
    callback(null, await handler(call.request, controller));
  } catch (error) {
    callback(statusOf(error));
  }
}

async function answerMany(call: ServerWritableStream<object, object>, handler: StreamHandler): Promise<void> {
  const controller = new AbortController();
  call.on('cancelled', () => controller.abort());
  try {
    for await (const answer of handler(call.request, controller)) {
      if (controller.signal.aborted) return;
      if (!call.write(answer)) await drained(call, controller.signal);
    }
    call.end();
  } catch (error) {
    if (!controller.signal.aborted) call.emit('error', statusOf(error));
  }
}

function drained(call: ServerWritableStream<object, object>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      call.off('drain', done);
      signal.removeEventListener('abort', done);
      resolve();
    };
    call.once('drain', done);
    signal.addEventListener('abort', done, { once: true });
  });
}

function statusOf(error: unknown): { code: number; details: string; name: string; message: string } {
  const { code, details, name, message } = toRpcError(error);
  return { code: rpcCodes[code], details, name, message };
}
