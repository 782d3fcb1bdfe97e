import { frame, opcodes } from '@coxswain/component-base/http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asAdmin, callHttp1, connectSocket, eventually } from '../hardening/clients.ts';
import { startTestServer, type TestServer, tokens } from '../test-server.ts';

/* Watches over WebSockets, as browsers and fabric8's client use them. The expectations are the responses of kube-apiserver v1.36.4. */

let running: TestServer;
/** A second server over the same store. It is started later, so its watch cache does not have the earlier history. */
let second: TestServer | undefined;
beforeAll(async () => {
  running = await startTestServer({ listen: true });
});
afterAll(async () => {
  await second?.server.stop();
  await running.server.stop();
});

const configMaps = '/api/v1/namespaces/default/configmaps';
const create = (path: string, body: object, port = running.port) =>
  callHttp1(port, { method: 'POST', path, headers: asAdmin, body: JSON.stringify(body) });
const createConfigMap = (name: string, value = 'v') =>
  create(configMaps, { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name }, data: { k: value } });
const revision = async (): Promise<string> => {
  const { text } = await callHttp1(running.port, { path: configMaps, headers: asAdmin });
  return JSON.parse(text).metadata.resourceVersion;
};

type Headers = Readonly<Record<string, string | undefined>>;

const handshake: Headers = {
  host: 'localhost',
  upgrade: 'websocket',
  connection: 'Upgrade',
  origin: 'http://localhost',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  'sec-websocket-version': '13',
};

interface Message {
  readonly opcode: number;
  readonly payload: Buffer;
}

/** A client's WebSocket that records everything received. */
interface Watch {
  readonly head: string;
  readonly messages: () => readonly Message[];
  readonly events: () => readonly { readonly type: string; readonly object: Record<string, unknown> }[];
  send(opcode: number, payload?: string): void;
  pause(): void;
  readonly closed: Promise<void>;
}

async function watch(path: string, headers: Headers = {}, port = running.port): Promise<Watch> {
  const socket = await connectSocket(port);
  const all: Headers = { ...handshake, authorization: `Bearer ${tokens.admin}`, ...headers };
  const lines = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}\r\n`]));
  let received = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
  });
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.write(`GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
  await eventually(() => received.includes('\r\n\r\n'));
  const headLength = received.indexOf('\r\n\r\n') + 4;
  const head = received.toString('latin1', 0, headLength);
  const messages = () => messagesIn(received.subarray(headLength));
  return {
    head,
    messages,
    events: () =>
      messages().flatMap(({ opcode, payload }) => (opcode === opcodes.text ? [JSON.parse(payload.toString())] : [])),
    send: (opcode, payload = '') => void socket.write(masked(frame(opcode, Buffer.from(payload)))),
    pause: () => void socket.pause(),
    closed,
  };
}

function messagesIn(bytes: Buffer): Message[] {
  const found: Message[] = [];
  for (let at = 0; at + 2 <= bytes.length; ) {
    const short = bytes[at + 1]!;
    const size = short < 126 ? 2 : short === 126 ? 4 : 10;
    if (at + size > bytes.length) break;
    const length = size === 2 ? short : size === 4 ? bytes.readUInt16BE(at + 2) : Number(bytes.readBigUInt64BE(at + 2));
    const end = at + size + length;
    if (end > bytes.length) break;
    found.push({ opcode: bytes[at]! & 15, payload: bytes.subarray(at + size, end) });
    at = end;
  }
  return found;
}

/** Masks a frame with zeros, which leaves its (short) payload unchanged. */
const masked = (bytes: Buffer): Buffer =>
  Buffer.concat([Buffer.from([bytes[0]!, bytes[1]! | 0x80, 0, 0, 0, 0]), bytes.subarray(2)]);

/** Removes the age of an object from its row. */
const ageless = (text: string): string => text.replace(/"\d+s"\]/, '""]');

const closing = { opcode: opcodes.close, payload: Buffer.from([0x03, 0xe8]) };

describe('a watch over a WebSocket', () => {
  it('has one text message per event, with any subprotocol', async () => {
    const path = `${configMaps}?watch=1&resourceVersion=${await revision()}`;
    const seen = await watch(path, { 'sec-websocket-protocol': 'base64.binary.k8s.io' });
    expect(seen.head).toMatch(/^HTTP\/1\.1 101 Switching Protocols\r\n/);
    expect(seen.head).toContain('sec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n');
    expect(seen.head).toContain('sec-websocket-protocol: base64.binary.k8s.io\r\n');
    await createConfigMap('a');
    await createConfigMap('b');
    await callHttp1(running.port, { method: 'DELETE', path: `${configMaps}/a`, headers: asAdmin });
    await eventually(() => seen.messages().length === 3);
    seen.send(opcodes.close);
    await seen.closed;
    expect(seen.events().map(({ type, object }) => [type, (object.metadata as { name: string }).name])).toEqual([
      ['ADDED', 'a'],
      ['ADDED', 'b'],
      ['DELETED', 'a'],
    ]);
    expect(seen.messages().at(0)?.payload.at(-1)).toBe(0x0a);
    expect(seen.messages().at(-1)).toEqual(closing);
  });

  it.each<[string, Headers]>([
    ['Protobuf as binary messages', { accept: 'application/vnd.kubernetes.protobuf' }],
    ['Tables as text messages', { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' }],
    ['initial events', {}],
  ])('has %s', async (_, headers) => {
    await createConfigMap('there');
    const path = `${configMaps}?watch=1&fieldSelector=metadata.name%3Dthere`;
    const { text } = await callHttp1(running.port, {
      path: `${path}&timeoutSeconds=1`,
      headers: { ...asAdmin, ...headers },
    });
    const seen = await watch(path, headers);
    await eventually(() => seen.messages().length === 1);
    const [message] = seen.messages();
    const isBinary = headers.accept?.includes('protobuf');
    expect(message?.opcode).toBe(isBinary ? opcodes.binary : opcodes.text);
    // The same as in a stream, where a length precedes binary events.
    expect(ageless(message?.payload.toString() ?? '')).toBe(ageless(isBinary ? text.slice(4) : text));
    seen.send(opcodes.close);
    await seen.closed;
  });

  it('responds to pings, ignores other messages, and closes when the client does', async () => {
    const seen = await watch(`${configMaps}?watch=1&resourceVersion=${await revision()}`);
    seen.send(opcodes.text, 'hello');
    seen.send(opcodes.ping, 'are you there?');
    await eventually(() => seen.messages().length === 1);
    seen.send(opcodes.close);
    await seen.closed;
    expect(seen.messages()).toEqual([{ opcode: opcodes.pong, payload: Buffer.from('are you there?') }, closing]);
  });

  it('ends regularly at its timeout', async () => {
    const seen = await watch(`${configMaps}?watch=1&timeoutSeconds=1&resourceVersion=${await revision()}`);
    await seen.closed;
    expect(seen.messages()).toEqual([closing]);
  });

  it('is counted as a long-running request until it ends', async () => {
    const line = async (): Promise<string | undefined> =>
      /^apiserver_longrunning_requests\{.*"secrets".*\} (\d+)$/m.exec(
        (await callHttp1(running.port, { path: '/metrics', headers: asAdmin })).text,
      )?.[1];
    const seen = await watch('/api/v1/watch/secrets');
    expect(seen.head).toContain(' 101 ');
    expect(await line()).toBe('1');
    seen.send(opcodes.close);
    await seen.closed;
    await expect.poll(line).toBe('0');
  });

  it('accepts a bearer token as one of two subprotocols, and does not return it', async () => {
    const token = `base64url.bearer.authorization.k8s.io.${Buffer.from(tokens.admin).toString('base64url')}`;
    const headers = { authorization: undefined, 'sec-websocket-protocol': `${token}, base64.binary.k8s.io` };
    const seen = await watch(`${configMaps}?watch=1`, headers);
    expect(seen.head).toContain('sec-websocket-protocol: base64.binary.k8s.io\r\n');
    seen.send(opcodes.close);
    await seen.closed;
  });

  it.each<[string, Headers, string, number]>([
    ['without an origin', { origin: undefined }, '', 403],
    ['from an origin that is no URL', { origin: 'null' }, '', 403],
    ['with two subprotocols', { 'sec-websocket-protocol': 'a, b' }, '', 400],
    ['without a key', { 'sec-websocket-key': undefined }, '', 400],
    ['of another version', { 'sec-websocket-version': '8' }, '', 400],
    ['of an unauthorized user', { authorization: `Bearer ${tokens.alice}` }, '', 403],
    ['with an invalid selector', {}, '&labelSelector=%2C%2C', 400],
    ['with an unsupported media type', { accept: 'application/yaml' }, '', 406],
  ])('%s is refused before it begins', async (_, headers, query, status) => {
    const seen = await watch(`${configMaps}?watch=1${query}`, headers);
    expect(seen.head).toContain(`HTTP/1.1 ${status} `);
    await seen.closed;
  });

  it('from a compacted revision has an error as its only event', async () => {
    const before = await revision();
    await createConfigMap('later');
    await running.store.compact(await running.store.currentRevision());
    second = await startTestServer({ listen: true, store: running.store });
    const seen = await watch(`${configMaps}?watch=1&resourceVersion=${before}`, {}, second.port);
    await seen.closed;
    expect(seen.events()).toMatchObject([{ type: 'ERROR', object: { code: 410, reason: 'Expired' } }]);
    expect(seen.messages().at(-1)).toEqual(closing);
  });

  it('works for custom resources, too', async () => {
    const schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    await create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      kind: 'CustomResourceDefinition',
      apiVersion: 'apiextensions.k8s.io/v1',
      metadata: { name: 'boats.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'boats', singular: 'boat', kind: 'Boat', listKind: 'BoatList' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
      },
    });
    const boats = '/apis/example.com/v1/namespaces/default/boats';
    const served = async () => (await callHttp1(running.port, { path: boats, headers: asAdmin })).status;
    await expect.poll(served).toBe(200);
    const seen = await watch(`${boats}?watch=1`);
    await create(boats, { kind: 'Boat', apiVersion: 'example.com/v1', metadata: { name: 'x' }, spec: { sails: 2 } });
    await eventually(() => seen.events().length === 1);
    expect(seen.events()).toMatchObject([{ type: 'ADDED', object: { kind: 'Boat', spec: { sails: 2 } } }]);
    seen.send(opcodes.close);
    await seen.closed;
  });

  it('is closed when its client does not read', async () => {
    const seen = await watch(`${configMaps}?watch=1&resourceVersion=${await revision()}`);
    seen.pause();
    const lasting = async (): Promise<boolean> =>
      /^apiserver_longrunning_requests\{.*"configmaps".*\} 1$/m.test(
        (await callHttp1(running.port, { path: '/metrics', headers: asAdmin })).text,
      );
    expect(await lasting()).toBe(true);
    for (let i = 0; (await lasting()) && i < 40; i++) await createConfigMap(`large-${i}`, 'x'.repeat(900_000));
    expect(await lasting()).toBe(false);
  });

  it('ends regularly when the server stops', async () => {
    const { server, port } = await startTestServer({ listen: true });
    const seen = await watch(`${configMaps}?watch=1&resourceVersion=1`, {}, port);
    expect(seen.head).toContain(' 101 ');
    await Promise.all([server.stop(), seen.closed]);
    expect(seen.messages()).toEqual([closing]);
  });
});
