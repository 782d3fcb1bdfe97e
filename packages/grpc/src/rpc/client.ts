import { systemClock } from '@coxswain/apimachinery/clock';
import type { Client, ClientReadableStream, ClientUnaryCall, ServiceError } from '@grpc/grpc-js';
import { RpcError, rpcCodeOf } from './rpc-error.ts';
import type { AnyMethod, CallOptions, Calls, Service } from './service.ts';

export interface ConnectOptions {
  /** The longest message that is accepted or sent. */
  readonly maxMessageBytes?: number;
  /** Calls wait for a server that is not running yet, until their deadline, instead of failing with Unavailable. */
  readonly waitForReady?: boolean;
}

/**
 * A connection to a gRPC server. It is established on the first call, and re-established with backoff when it breaks.
 */
export interface Connection {
  /** Returns the methods of a service as functions. */
  service<Methods>(service: Service<Methods>): Calls<Methods>;
  close(): void;
}

/** Returns the path of `unix:///run/a.sock`, `unix:/run/a.sock` or `/run/a.sock`. Throws for anything else. */
export function socketPath(endpoint: string): string {
  const path = endpoint.replace(/^unix:(\/\/)?/, '');
  if (path.startsWith('/')) return path;
  throw new Error(`${JSON.stringify(endpoint)} is not a Unix socket: use unix:///path/to.sock`);
}

/** Returns a connection to a server on a Unix socket. */
export async function connect(
  endpoint: string,
  { maxMessageBytes = 16 * 1024 * 1024, waitForReady = false }: ConnectOptions = {},
): Promise<Connection> {
  const target = `unix:${socketPath(endpoint)}`;
  // Loaded on use, because it is large and most programs do not need it.
  const grpc = await import('@grpc/grpc-js');
  const client: Client = new grpc.Client(target, grpc.credentials.createInsecure(), {
    // Go's servers refuse a socket path as the authority.
    'grpc.default_authority': 'localhost',
    'grpc.initial_reconnect_backoff_ms': 100,
    'grpc.max_reconnect_backoff_ms': 3_000,
    'grpc.max_receive_message_length': maxMessageBytes,
    'grpc.max_send_message_length': maxMessageBytes,
    'grpc.service_config_disable_resolution': 1,
    'grpc.use_local_subchannel_pool': 1,
    // The caller decides which calls may be retried.
    'grpc.enable_retries': 0,
    'grpc.enable_http_proxy': 0,
  });
  const metadata = new grpc.Metadata({ waitForReady });
  const optionsOf = ({ timeoutMs }: CallOptions) =>
    timeoutMs === undefined ? {} : { deadline: systemClock.now() + timeoutMs };

  const unary =
    (path: string, { request, response }: AnyMethod) =>
    async (message: object, options: CallOptions = {}): Promise<object> => {
      options.signal?.throwIfAborted();
      return new Promise((resolve, reject) => {
        const call: ClientUnaryCall = client.makeUnaryRequest(
          path,
          request.encode,
          response.decode,
          message,
          metadata,
          optionsOf(options),
          (error, answer) => {
            options.signal?.removeEventListener('abort', cancel);
            if (answer) resolve(answer);
            else reject(failureOf(error, options.signal));
          },
        );
        const cancel = (): void => call.cancel();
        options.signal?.addEventListener('abort', cancel, { once: true });
      });
    };

  const streaming = (path: string, { request, response }: AnyMethod) =>
    async function* (message: object, options: CallOptions = {}): AsyncGenerator<object> {
      options.signal?.throwIfAborted();
      const call: ClientReadableStream<object> = client.makeServerStreamRequest(
        path,
        request.encode,
        response.decode,
        message,
        metadata,
        optionsOf(options),
      );
      const cancel = (): void => call.cancel();
      options.signal?.addEventListener('abort', cancel, { once: true });
      try {
        for await (const answer of call) yield answer as object;
      } catch (error) {
        throw failureOf(error as ServiceError, options.signal);
      } finally {
        options.signal?.removeEventListener('abort', cancel);
        call.on('error', () => {});
        call.cancel();
      }
    };

  return {
    service({ name, methods }) {
      const calls: Partial<Record<keyof typeof methods, unknown>> = {};
      for (const key in methods) {
        const method = methods[key] as AnyMethod;
        const path = `/${name}/${method.name}`;
        calls[key] = method.streams ? streaming(path, method) : unary(path, method);
      }
      return calls as Calls<typeof methods>;
    },
    close: () => client.close(),
  };
}

function failureOf(error: ServiceError | null, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted) return signal.reason;
  if (error?.code === undefined) return new RpcError('Unknown', String(error), { cause: error });
  return new RpcError(rpcCodeOf(error.code), error.details, { cause: error });
}
