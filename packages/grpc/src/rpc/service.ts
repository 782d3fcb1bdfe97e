import type { Init, Message } from '../protobuf/message.ts';

/** A method that is given one message and answers with one. */
export interface UnaryMethod<Request, Response> {
  readonly name: string;
  readonly request: Message<Request>;
  readonly response: Message<Response>;
  readonly streams?: undefined;
}

/** A method that is given one message and answers with many. */
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
  /** The call fails with DeadlineExceeded after so long. Absent: it may take as long as it likes. */
  readonly timeoutMs?: number | undefined;
}

/** What whoever serves a method gets besides the request. */
export interface ServeOptions {
  /** Aborted when the caller went away, or its deadline passed. */
  readonly signal: AbortSignal;
}

/** Calls of a service as functions, by their names in a table of methods. */
export type Calls<Methods> = {
  readonly [K in keyof Methods]: Methods[K] extends StreamMethod<infer Request, infer Response>
    ? (request: Init<Request>, options?: CallOptions) => AsyncIterable<Response>
    : Methods[K] extends UnaryMethod<infer Request, infer Response>
      ? (request: Init<Request>, options?: CallOptions) => Promise<Response>
      : never;
};

/** What serves the methods of a table. A method that is missing is answered with Unimplemented. */
export type Handlers<Methods> = {
  readonly [K in keyof Methods]?: Methods[K] extends StreamMethod<infer Request, infer Response>
    ? (request: Request, options: ServeOptions) => AsyncIterable<Init<Response>>
    : Methods[K] extends UnaryMethod<infer Request, infer Response>
      ? (request: Request, options: ServeOptions) => Promise<Init<Response>>
      : never;
};

export interface Service<Methods> {
  /** With its package, as in `runtime.v1.RuntimeService`. */
  readonly name: string;
  readonly methods: Methods;
}

/** Any method, where its messages do not matter. */
export type AnyMethod = UnaryMethod<object, object> | StreamMethod<object, object>;
