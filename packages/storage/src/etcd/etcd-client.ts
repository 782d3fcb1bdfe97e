import { setTimeout as delay } from 'node:timers/promises';
import { StoreFullError, StoreUnavailableError } from '../errors.ts';
import { backoffMs } from './backoff.ts';
import { EtcdEndpoint, type Grpc, isServiceError } from './etcd-endpoint.ts';
import type { EtcdConfig } from './etcd-options.ts';
import type { Method } from './messages.ts';
import { RequestTooLargeError } from './request-too-large-error.ts';
import { type RpcFailure, rpcFailure } from './rpc-failure.ts';

/** A failed call whose failure the caller must handle. */
export class EtcdCallError extends Error {
  override readonly name = 'EtcdCallError';
  readonly failure: Extract<RpcFailure, 'compacted' | 'future' | 'lease-not-found'>;

  constructor(failure: EtcdCallError['failure'], cause: Error) {
    super(cause.message, { cause });
    this.failure = failure;
  }
}

/** Calls a cluster through one connected member, and through another one when that fails. */
export class EtcdClient {
  readonly config: EtcdConfig;
  readonly #endpoints: readonly EtcdEndpoint[];
  /** The index of the endpoint in use. It is kept as long as it works. */
  #current = 0;
  /** The pending connection attempt, shared by all callers. */
  #dialing: Promise<EtcdEndpoint> | undefined;

  constructor(grpc: Grpc, config: EtcdConfig) {
    this.config = config;
    this.#endpoints = config.endpoints.map((endpoint) => new EtcdEndpoint(grpc, endpoint, config));
  }

  /** Returns a connected member. Throws a StoreUnavailableError when there is none within the dial timeout. */
  async connected(): Promise<EtcdEndpoint> {
    const current = this.#endpoints[this.#current]!;
    if (current.connected) return current;
    this.#dialing ??= this.#dial().finally(() => {
      this.#dialing = undefined;
    });
    return this.#dialing;
  }

  /** Makes another endpoint the current one. Called for a member that answers with failures. */
  avoid(endpoint: EtcdEndpoint): void {
    if (this.#endpoints[this.#current] !== endpoint) return;
    const others = this.#endpoints.map((_, index) => (this.#current + 1 + index) % this.#endpoints.length);
    this.#current = others.find((index) => this.#endpoints[index]!.connected) ?? others[0]!;
  }

  /**
   * Sends a call. `repeatable` calls are retried after temporary failures until the dial timeout. Other calls are
   * retried only when it is certain that they were not carried out.
   */
  async call<Request, Response>(
    method: Method<Request, Response>,
    request: Request,
    { repeatable }: { readonly repeatable: boolean },
  ): Promise<Response> {
    const giveUpAt = Date.now() + this.config.dialTimeoutMs;
    for (let failures = 1; ; failures++) {
      // A call is only sent over an existing connection: a failure before that means it was not carried out.
      const endpoint = await this.connected();
      try {
        return await endpoint.call(method, request, this.config.requestTimeoutMs);
      } catch (error) {
        if (!isServiceError(error)) throw error;
        const failure = rpcFailure(error);
        if (failure === 'too-large') throw new RequestTooLargeError({ cause: error });
        if (failure === 'full') throw new StoreFullError(error.details, { cause: error });
        if (failure === 'refused') throw this.unavailable(error.details, error);
        if (failure === 'unknown' && !repeatable) {
          this.avoid(endpoint);
          throw this.unavailable(`the outcome of the write is unknown: ${error.details}`, error);
        }
        if (failure !== 'unknown' && failure !== 'not-done') throw new EtcdCallError(failure, error);
        this.avoid(endpoint);
        if (Date.now() >= giveUpAt) throw this.unavailable(error.details, error);
        await delay(backoffMs(failures, this.config.random));
      }
    }
  }

  unavailable(reason: string, cause?: unknown): StoreUnavailableError {
    const urls = this.#endpoints.map(({ url }) => url).join(', ');
    return new StoreUnavailableError(`etcd at ${urls}: ${reason}`, { cause });
  }

  close(): void {
    for (const endpoint of this.#endpoints) endpoint.close();
  }

  /** Connects to all endpoints concurrently, so that one that does not answer causes no delay. */
  async #dial(): Promise<EtcdEndpoint> {
    const deadline = Date.now() + this.config.dialTimeoutMs;
    try {
      const first = await Promise.any(this.#endpoints.map((endpoint) => endpoint.connect(deadline)));
      this.#current = this.#endpoints.indexOf(first);
      return first;
    } catch (cause) {
      const reasons = await Promise.all(
        this.#endpoints.map(async (endpoint) => `${endpoint.url}: ${await endpoint.whyNotConnected()}`),
      );
      throw new StoreUnavailableError(`no connection to etcd (${reasons.join('; ')})`, { cause });
    }
  }
}
