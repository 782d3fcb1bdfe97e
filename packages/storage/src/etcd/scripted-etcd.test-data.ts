import { once } from 'node:events';
import type { MessageOf } from '@coxswain/grpc/protobuf';
import {
  Metadata,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServerUnaryCall,
  type StatusObject,
  type sendUnaryData,
} from '@grpc/grpc-js';
import { type Method, methods, type WatchRequest, type WatchResponse } from './messages.ts';

type WatchStreamCall = ServerDuplexStream<WatchRequest, WatchResponse>;

type Unary<M> = M extends Method<infer Request, infer Response> ? (request: Request) => Response : never;

/** The answers of the server. Methods without an entry are answered with an empty message. */
export interface Script {
  readonly version?: string;
  readonly range?: Unary<typeof methods.range>;
  readonly txn?: Unary<typeof methods.txn>;
  readonly leaseGrant?: Unary<typeof methods.leaseGrant>;
  /** When set, every watch is cancelled with this compacted revision. */
  readonly compactRevision?: number;
}

/** Thrown by a script to fail a call with a status. */
export class Refusal extends Error {
  readonly status: Partial<StatusObject>;

  constructor(code: number, details: string) {
    super(details);
    this.status = { code, details };
  }
}

/** The server's side of a watch. */
export class ScriptedWatch {
  readonly requests: WatchRequest[] = [];
  readonly hasLeader: unknown;
  readonly #call: WatchStreamCall;

  constructor(call: WatchStreamCall) {
    this.#call = call;
    this.hasLeader = call.metadata.get('hasleader')[0];
    call.on('data', (request: WatchRequest) => {
      this.requests.push(request);
      call.emit('scripted-request');
    });
    call.on('error', () => {});
  }

  async request(index: number): Promise<WatchRequest> {
    while (this.requests.length <= index) await once(this.#call, 'scripted-request');
    return this.requests[index]!;
  }

  send(response: WatchResponse): void {
    this.#call.write(response);
  }

  break(code: number, details: string): void {
    this.#call.emit('error', { code, details, metadata: new Metadata() });
  }
}

/** A server with etcd's protocol whose answers a test controls, for situations that are rare with a real one. */
export class ScriptedEtcd {
  readonly watches: ScriptedWatch[] = [];
  readonly #server = new Server();
  #port = 0;
  #arrived: (() => void)[] = [];

  static async start(script: Script): Promise<ScriptedEtcd> {
    const etcd = new ScriptedEtcd();
    const unary = <Request, Response>(
      { path, request, response }: Method<Request, Response>,
      answer: ((request: Request) => Response) | undefined,
    ) =>
      etcd.#server.register<Request, Response>(
        path,
        (call: ServerUnaryCall<Request, Response>, callback: sendUnaryData<Response>) => {
          try {
            callback(null, answer?.(call.request) ?? response.decode(Buffer.alloc(0)));
          } catch (error) {
            callback(error instanceof Refusal ? error.status : { code: 2, details: String(error) });
          }
        },
        response.encode,
        request.decode,
        'unary',
      );
    unary(methods.status, (): MessageOf<typeof methods.status.response> => ({ version: script.version ?? '3.6.0' }));
    unary(methods.range, script.range);
    unary(methods.txn, script.txn);
    unary(methods.leaseGrant, script.leaseGrant);
    const { path, request, response } = methods.watch;
    etcd.#server.register<WatchRequest, WatchResponse>(
      path,
      (call: WatchStreamCall) => {
        const watch = new ScriptedWatch(call);
        if (script.compactRevision) watch.send({ canceled: true, compactRevision: script.compactRevision });
        etcd.watches.push(watch);
        for (const arrived of etcd.#arrived.splice(0)) arrived();
      },
      response.encode,
      request.decode,
      'bidi',
    );
    etcd.#port = await new Promise((resolve, reject) => {
      etcd.#server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) =>
        error ? reject(error) : resolve(port),
      );
    });
    return etcd;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Resolves with the watch of that index when it was opened. */
  async watch(index: number): Promise<ScriptedWatch> {
    while (this.watches.length <= index) await new Promise<void>((resolve) => this.#arrived.push(resolve));
    return this.watches[index]!;
  }

  stop(): void {
    this.#server.forceShutdown();
  }
}
