import { ApiError, toStatus } from '@coxswain/apimachinery/errors';
import {
  type Clock,
  type ResponseBody,
  sleep,
  type Transport,
  TransportError,
  type TransportRequest,
  type TransportResponse,
} from '@coxswain/client';
import type { Caller } from '../component.ts';
import { HeldWatch } from './held-watch.ts';
import { matches, type RequestAbout, type RequestMatcher, requestAbout } from './request-about.ts';

/** An effect on matching requests. */
export interface Fault {
  readonly matcher: RequestMatcher;
  /** The number of further requests to affect. */
  times: number;
  /** An ApiError is returned as the server's response; any other error breaks the connection. */
  readonly error?: Error;
  /** The server processes the request, and its response is lost or replaced. */
  readonly isAfterwards?: boolean;
  /** Delays the request, by the cluster's clock. */
  readonly delayMs?: number;
}

interface Watching {
  readonly about: RequestAbout;
  readonly body: HeldWatch;
}

/** All requests between the API server and its callers. It counts them, and makes them fail where a test wants it. */
export class Traffic {
  readonly #clock: Clock;
  readonly #faults = new Set<Fault>();
  readonly #watches = new Set<Watching>();
  readonly #heldBack = new Set<RequestMatcher>();
  /** The number of components' requests in progress, without those that wait for the clock. */
  #underWay = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** True when components have no requests in progress, and have processed all data of their watches. */
  get isQuiet(): boolean {
    if (this.#underWay > 0) return false;
    for (const { about, body } of this.#watches) if (about.by !== 'users' && !body.isQuiet) return false;
    return true;
  }

  wrap(inner: Transport, by: Caller): Transport {
    return {
      send: (request) => this.#send(inner, request, requestAbout(request, by)),
      openWebSocket: (request) => inner.openWebSocket(request),
      close: () => inner.close(),
    };
  }

  /** Returns a function that removes the fault. */
  addFault(fault: Fault): () => void {
    this.#faults.add(fault);
    return () => void this.#faults.delete(fault);
  }

  /** Ends watches regularly: those of components, and those with a `timeoutSeconds`, whose clients must expect an end. */
  renewWatches(): void {
    const isPrepared = ({ by, url }: RequestAbout): boolean => by !== 'users' || /[?&]timeoutSeconds=/.test(url);
    for (const { about, body } of [...this.#watches]) if (isPrepared(about)) body.end();
  }

  /** Breaks matching watches. Returns their number. */
  cutWatches(matcher: RequestMatcher): number {
    const cut = [...this.#watches].filter(({ about }) => matches(matcher, about));
    for (const { body } of cut) body.cut();
    return cut.length;
  }

  /** Holds back the data of matching watches, including later ones, until the returned function is called. */
  holdBack(matcher: RequestMatcher): () => void {
    this.#heldBack.add(matcher);
    for (const { about, body } of this.#watches) if (matches(matcher, about)) body.hold();
    return () => {
      this.#heldBack.delete(matcher);
      for (const { about, body } of this.#watches) if (!this.#isHeldBack(about)) body.release();
    };
  }

  async #send(inner: Transport, request: TransportRequest, about: RequestAbout): Promise<TransportResponse> {
    const fault = this.#faultFor(about);
    if (fault?.delayMs) await sleep(this.#clock, fault.delayMs, request.signal);
    const { error, isAfterwards = false } = fault ?? {};
    if (error && !isAfterwards) return answerFor(error);
    const response = await this.#counted(about, () => inner.send(request));
    if (error) {
      response.body.cancel();
      return answerFor(error);
    }
    if (about.verb !== 'watch' || response.status !== 200) return response;
    return { ...response, body: this.#watch(response.body, about) };
  }

  async #counted<T>({ by }: RequestAbout, send: () => Promise<T>): Promise<T> {
    if (by === 'users') return send();
    this.#underWay++;
    try {
      return await send();
    } finally {
      this.#underWay--;
    }
  }

  #watch(inner: ResponseBody, about: RequestAbout): HeldWatch {
    const body = new HeldWatch(inner, () => this.#watches.delete(watching));
    const watching: Watching = { about, body };
    this.#watches.add(watching);
    if (this.#isHeldBack(about)) body.hold();
    return body;
  }

  #isHeldBack(about: RequestAbout): boolean {
    return [...this.#heldBack].some((matcher) => matches(matcher, about));
  }

  #faultFor(about: RequestAbout): Fault | undefined {
    for (const fault of this.#faults) {
      if (!matches(fault.matcher, about)) continue;
      if (--fault.times <= 0) this.#faults.delete(fault);
      return fault;
    }
    return undefined;
  }
}

function answerFor(error: Error): TransportResponse {
  if (error instanceof TransportError) throw error;
  if (!(error instanceof ApiError))
    throw new TransportError(error.message, { cause: error, code: 'ECONNRESET', mayHaveBeenSent: true });
  const status = toStatus(error);
  const bytes = new TextEncoder().encode(JSON.stringify(status));
  const { retryAfterSeconds } = status.details ?? {};
  return {
    status: status.code ?? 500,
    headers: {
      'content-type': 'application/json',
      ...(retryAfterSeconds && { 'retry-after': String(retryAfterSeconds) }),
    },
    body: {
      bytes: async () => bytes,
      async *chunks() {
        yield bytes;
      },
      cancel() {},
    },
  };
}
