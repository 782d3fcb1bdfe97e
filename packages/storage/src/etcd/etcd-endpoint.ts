import { isIP } from 'node:net';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import type { ChannelOptions, Client, ClientDuplexStream, Metadata, ServiceError } from '@grpc/grpc-js';
import type { EtcdConfig, EtcdEndpointConfig } from './etcd-options.ts';
import { type Method, methods, type WatchRequest, type WatchResponse } from './messages.ts';

/** The grpc-js module. It is large, so it is loaded only when a store is opened. */
export type Grpc = typeof import('@grpc/grpc-js');

export type WatchCall = ClientDuplexStream<WatchRequest, WatchResponse>;

function channelOptions(config: EtcdConfig): ChannelOptions {
  return {
    'grpc.keepalive_time_ms': config.keepaliveTimeMs,
    'grpc.keepalive_timeout_ms': config.keepaliveTimeoutMs,
    'grpc.initial_reconnect_backoff_ms': 100,
    'grpc.max_reconnect_backoff_ms': 3_000,
    // etcd limits its messages itself, by request sizes and by the limits of lists.
    'grpc.max_receive_message_length': -1,
    'grpc.max_send_message_length': -1,
    'grpc-node.flow_control_window': 4 * 1024 * 1024,
    // `EtcdClient` decides which calls may be retried.
    'grpc.enable_retries': 0,
    'grpc.service_config_disable_resolution': 1,
    'grpc.use_local_subchannel_pool': 1,
    'grpc.enable_http_proxy': 0,
  };
}

/** One member of the cluster with its connection, which is re-established with backoff when it breaks. */
export class EtcdEndpoint {
  readonly url: string;
  readonly #grpc: Grpc;
  readonly #client: Client;
  /** With `hasleader`, a member without a leader refuses requests, instead of answering late or with old data. */
  readonly #metadata: Metadata;

  constructor(grpc: Grpc, { url, host, port, secure }: EtcdEndpointConfig, config: EtcdConfig) {
    this.url = url;
    this.#grpc = grpc;
    const target = `${host.includes(':') ? `[${host}]` : host}:${port}`;
    const options = channelOptions(config);
    if (!secure) {
      this.#client = new grpc.Client(target, grpc.credentials.createInsecure(), options);
    } else {
      const { ca, cert, key } = config.tls;
      // SNI does not allow an IP address, and Node warns about one. The certificate is still checked against the
      // address.
      const verify = { checkServerIdentity: (_: string, peer: PeerCertificate) => checkServerIdentity(host, peer) };
      if (isIP(host)) options['grpc.ssl_target_name_override'] = 'localhost';
      this.#client = new grpc.Client(target, grpc.credentials.createSsl(ca, key, cert, verify), options);
    }
    this.#metadata = new grpc.Metadata();
    this.#metadata.set('hasleader', 'true');
  }

  get connected(): boolean {
    return this.#client.getChannel().getConnectivityState(false) === this.#grpc.connectivityState.READY;
  }

  /** Resolves when there is a connection. Rejects when there is none at the deadline. */
  async connect(deadline: number): Promise<this> {
    const { READY, SHUTDOWN } = this.#grpc.connectivityState;
    const channel = this.#client.getChannel();
    for (;;) {
      const state = channel.getConnectivityState(true);
      if (state === READY) return this;
      if (state === SHUTDOWN) throw new Error('the connection is closed');
      await new Promise<void>((resolve, reject) => {
        channel.watchConnectivityState(state, deadline, (error) => (error ? reject(error) : resolve()));
      });
    }
  }

  /** Returns the reason why there is no connection, as far as it is known. */
  async whyNotConnected(): Promise<string> {
    try {
      await this.call(methods.status, {}, 200);
      return 'connected just after the timeout';
    } catch (error) {
      return isServiceError(error) ? error.details : String(error);
    }
  }

  /** Sends a call. Rejects with a ServiceError, or with a RangeError for a request that cannot be encoded. */
  call<Request, Response>(method: Method<Request, Response>, request: Request, timeoutMs: number): Promise<Response> {
    return new Promise((resolve, reject) => {
      this.#client.makeUnaryRequest(
        method.path,
        (encoded: Buffer) => encoded,
        method.response.decode,
        method.request.encode(request),
        this.#metadata,
        { deadline: Date.now() + timeoutMs },
        (error, response) => {
          if (response === undefined) reject(error);
          else resolve(response);
        },
      );
    });
  }

  openWatch(): WatchCall {
    const { path, request, response } = methods.watch;
    return this.#client.makeBidiStreamRequest(path, request.encode, response.decode, this.#metadata, {});
  }

  close(): void {
    this.#client.close();
  }
}

export function isServiceError(error: unknown): error is ServiceError {
  return error instanceof Error && 'code' in error && 'details' in error && typeof error.details === 'string';
}
