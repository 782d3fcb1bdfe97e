import type { Init, Message } from '../protobuf/message.ts';

/** A method with one request message and one response message. */
export interface UnaryMethod<Request, Response> {
  readonly name: string;
  readonly request: Message<Request>;
  readonly response: Message<Response>;
  readonly streams?: undefined;
}

/** A method with one request message and a stream of response messages. */
export interface StreamMethod<Request, Response> {
  readonly name: string;
  readonly request: Message<Request>;
  readonly response: Message<Response>;
  readonly streams: true;
}

export const unary = <Request, Response>(
  name: string,
  request: Message<Request>,
  response: Message<Response>,
): UnaryMethod<Request, Response> => ({ name, request, response });

export const stream = <Request, Response>(
  name: string,
  request: Message<Request>,
  response: Message<Response>,
): StreamMethod<Request, Response> => ({ name, request, response, streams: true });

export interface CallOptions {
  /** Cancels the call, which then rejects with this signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** The call fails with DeadlineExceeded after this time. No deadline when absent. */
  readonly timeoutMs?: number | undefined;
}

/** The handler's second argument. */
export interface ServeOptions {
  /** Aborted when the caller cancelled the call, or its deadline passed. */
  readonly signal: AbortSignal;
}

/** The methods of a service as functions. */
export type Calls<Methods> = {
  readonly [K in keyof Methods]: Methods[K] extends StreamMethod<infer Request, infer Response>
    ? (request: Init<Request>, options?: CallOptions) => AsyncIterable<Response>
    : Methods[K] extends UnaryMethod<infer Request, infer Response>
      ? (request: Init<Request>, options?: CallOptions) => Promise<Response>
      : never;
};

/** The handlers of a service. A call of a method without a handler fails with Unimplemented. */
export type Handlers<Methods> = {
  readonly [K in keyof Methods]?: Methods[K] extends StreamMethod<infer Request, infer Response>
    ? (request: Request, options: ServeOptions) => AsyncIterable<Init<Response>>
    : Methods[K] extends UnaryMethod<infer Request, infer Response>
      ? (request: Request, options: ServeOptions) => Promise<Init<Response>>
      : never;
};

export interface Service<Methods> {
  /** With the package, for example `runtime.v1.RuntimeService`. */
  readonly name: string;
  readonly methods: Methods;
}

/** A method with any messages. */
export type AnyMethod = UnaryMethod<object, object> | StreamMethod<object, object>;
