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

/** What becomes of requests that match. */
export interface Fault {
  readonly matcher: RequestMatcher;
  /** So many more are met; then it is over. */
  times: number;
  /** The answer: of the server, when it is an ApiError; otherwise there is none, the connection breaks. */
  readonly error?: Error;
  /** The server does what is asked, and its answer is lost or replaced. */
  readonly isAfterwards?: boolean;
  /** So long it takes, by the cluster's clock. */
  readonly delayMs?: number;
}

interface Watching {
  readonly about: RequestAbout;
  readonly body: HeldWatch;
}

/** All that goes between the API server and its callers: seen, counted, and let fail where a test wants it. */
export class Traffic {
  readonly #clock: Clock;
  readonly #faults = new Set<Fault>();
  readonly #watches = new Set<Watching>();
  readonly #heldBack = new Set<RequestMatcher>();
  /** Requests of components that have no answer yet; those that wait for the clock not counted. */
  #underWay = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Components wait for no answer, and their readers have taken all that has come of their watches. */
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

  /** Returns how to take it back. */
  addFault(fault: Fault): () => void {
    this.#faults.add(fault);
    return () => void this.#faults.delete(fault);
  }

  /** Ends watches in good order: those of components, and of others who said how long they may last and so are prepared. */
  renewWatches(): void {
    const isPrepared = ({ by, url }: RequestAbout): boolean => by !== 'users' || /[?&]timeoutSeconds=/.test(url);
    for (const { about, body } of [...this.#watches]) if (isPrepared(about)) body.end();
  }

  /** Breaks the watches that match; returns how many. */
  cutWatches(matcher: RequestMatcher): number {
    const cut = [...this.#watches].filter(({ about }) => matches(matcher, about));
    for (const { body } of cut) body.cut();
    return cut.length;
  }

  /** Watches that match, later ones too, bring nothing until what is returned is called. */
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
