import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { issueKeyPair } from '@coxswain/client/x509';

export type Review = { request: { uid: string } & Record<string, unknown> } & Record<string, unknown>;

/** Handles a request to a webhook. */
export type Behaviour = (review: Review, response: ServerResponse, attempt: number) => void;

export interface Asked {
  readonly webhook: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly review: Review;
}

const hour = 3_600_000;
const validity = { notBefore: new Date(Date.now() - hour), notAfter: new Date(Date.now() + 24 * hour) };
export const authority = issueKeyPair({ commonName: 'webhook-ca', isCA: true, ...validity });
const serving = issueKeyPair(
  {
    commonName: 'webhook',
    usages: ['serverAuth'],
    dnsNames: ['webhook.default.svc', 'localhost'],
    ipAddresses: ['127.0.0.1'],
    ...validity,
  },
  authority,
);

/** An HTTPS server with a webhook at each path, with configurable behaviours. It records all requests. */
export class WebhookServer {
  readonly asked: Asked[] = [];
  readonly sockets = new Set<Socket>();
  /** The number of connections so far. */
  connections = 0;
  behaviours: Readonly<Record<string, Behaviour>> = {};
  readonly #server: Server;

  constructor() {
    this.#server = createServer({ cert: serving.certificatePem, key: serving.keyPem }, (request, response) => {
      this.#answer(request, response).catch(() => response.destroy());
    });
    this.#server.on('secureConnection', (socket: Socket) => {
      this.connections++;
      this.sockets.add(socket);
      socket.on('error', () => {});
      socket.once('close', () => this.sockets.delete(socket));
    });
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async start(): Promise<this> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return this;
  }

  async close(): Promise<void> {
    this.#server.close();
    for (const socket of this.sockets) socket.destroy();
    await once(this.#server, 'close');
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const { url = '', headers } = request;
    const [, webhook = ''] = url.split(/[/?]/);
    const review: Review = text.startsWith('{') ? JSON.parse(text) : { request: { uid: '' } };
    const attempt = this.asked.filter((earlier) => earlier.webhook === webhook).length;
    this.asked.push({ webhook, url, headers, review });
    const behaviour = this.behaviours[webhook] ?? answer();
    behaviour(review, response, attempt);
  }
}

/** Responds with this body; objects as JSON. */
export const say =
  (body: unknown, status = 200, headers: Record<string, string> = {}): Behaviour =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };

/** Responds with an AdmissionReview, which allows the request unless `response` says otherwise. */
export const answer =
  (response: Record<string, unknown> = {}, review: Record<string, unknown> = {}): Behaviour =>
  (asked, ...rest) =>
    say({
      kind: asked.kind,
      apiVersion: asked.apiVersion,
      response: { uid: asked.request.uid, allowed: true, ...response },
      ...review,
    })(asked, ...rest);

export const patch = (operations: unknown, response: Record<string, unknown> = {}): Behaviour =>
  answer({ patchType: 'JSONPatch', patch: base64(JSON.stringify(operations)), ...response });

export const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** Uses the behaviours in order, one per request, and then the last one for all further requests. */
export const inTurn =
  (...behaviours: Behaviour[]): Behaviour =>
  (review, response, attempt) =>
    behaviours[Math.min(attempt, behaviours.length - 1)]?.(review, response, attempt);
