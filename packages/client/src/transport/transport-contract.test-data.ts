import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Transport, TransportError, type TransportRequest, UpgradeRefusedError } from './transport.ts';

/** An API server under test. */
export interface ContractServer {
  /** Returns a new transport to it, with all permissions. */
  readonly newTransport: () => Transport | Promise<Transport>;
  readonly hasWebSockets: boolean;
}

const json = { accept: 'application/json' };
const encode = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
const decode = (bytes: Uint8Array): Record<string, unknown> => JSON.parse(new TextDecoder().decode(bytes));

/** The contract suite of transports. */
export function describeTransport(name: string, server: ContractServer): void {
  describe(`${name}: the transport contract`, () => {
    const path = '/api/v1/namespaces/default/configmaps';
    let transport: Transport;
    let unique = 0;
    beforeEach(async () => {
      transport = await server.newTransport();
    });
    afterEach(() => transport.close());

    const send = (method: string, url: string, more: Partial<TransportRequest> = {}) =>
      transport.send({ method, url, headers: json, ...more });
    async function create(data: Record<string, string> = {}, labels: Record<string, string> = {}): Promise<string> {
      const created = `${name.replace(/\W/g, '-')}-${process.pid}-${unique++}`.toLowerCase();
      const body = encode({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: created, labels }, data });
      const response = await send('POST', path, { body, headers: { ...json, 'content-type': 'application/json' } });
      expect(response.status).toBe(201);
      await response.body.bytes();
      return created;
    }
    const watchUrl = (created: string): string => `${path}?watch=true&fieldSelector=metadata.name%3D${created}`;

    it('returns the status, headers with names in lower case and the body', async () => {
      const response = await send('GET', '/version');
      expect(response.status).toBe(200);
      expect(response.headers['content-type']).toBe('application/json');
      expect(decode(await response.body.bytes())).toHaveProperty('gitVersion');
    });

    it('resolves with an error response like with any other', async () => {
      const response = await send('GET', `${path}/missing`);
      expect(response.status).toBe(404);
      expect(decode(await response.body.bytes())).toMatchObject({ kind: 'Status', reason: 'NotFound' });
    });

    it('returns a 304 without a body', async () => {
      const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
      const first = await send('GET', '/apis', { headers: { accept } });
      expect(await first.body.bytes()).not.toHaveLength(0);
      const second = await send('GET', '/apis', { headers: { accept, 'if-none-match': String(first.headers.etag) } });
      expect([second.status, (await second.body.bytes()).length]).toEqual([304, 0]);
    });

    it('sends and receives half a megabyte of characters of all UTF-8 lengths', async () => {
      const text = 'aé✓😀'.repeat(50_000);
      const created = await create({ text });
      const response = await send('GET', `${path}/${created}`);
      expect(decode(await response.body.bytes()).data).toEqual({ text });
    });

    it('returns a long list as a whole, and the same in chunks', async () => {
      for (let i = 0; i < 4; i++) await create({ text: 'é'.repeat(100_000) }, { list: 'long' });
      const url = `${path}?labelSelector=list%3Dlong`;
      const whole = await (await send('GET', url)).body.bytes();
      const pieces: Uint8Array[] = [];
      for await (const chunk of (await send('GET', url)).body.chunks()) pieces.push(chunk);
      expect(whole.length).toBeGreaterThan(800_000);
      // The list's own resourceVersion, which changes with concurrent writes.
      const withoutVersion = (bytes: Uint8Array) => String(Buffer.from(bytes)).replace(/"resourceVersion":"\d+"/, '');
      expect(withoutVersion(Buffer.concat(pieces)) === withoutVersion(whole)).toBe(true);
    });

    it('returns events of a watch as they happen', async () => {
      const created = await create();
      const watch = await send('GET', watchUrl(created));
      expect(watch.status).toBe(200);
      const seen: unknown[] = [];
      let text = '';
      for await (const chunk of watch.body.chunks()) {
        text += new TextDecoder().decode(chunk);
        const lines = text.split('\n');
        text = lines.pop()!;
        for (const line of lines) seen.push(JSON.parse(line).type);
        if (seen.length === 1) await (await send('DELETE', `${path}/${created}`)).body.bytes();
        if (seen.length >= 2) break;
      }
      expect(seen).toEqual(['ADDED', 'DELETED']);
    });

    it('answers requests while many watches are open', async () => {
      const watches = await Promise.all(Array.from({ length: 40 }, () => send('GET', watchUrl('nobody'))));
      const answers = await Promise.all(
        Array.from({ length: 100 }, async () => (await (await send('GET', '/version')).body.bytes()).length),
      );
      expect(answers.every((length) => length > 0)).toBe(true);
      for (const watch of watches) watch.body.cancel();
      expect((await send('GET', '/version')).status).toBe(200);
    });

    it('rejects with the reason of a signal that is aborted already', async () => {
      const reason = new Error('enough');
      await expect(send('GET', '/version', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    });

    it('rejects with the reason of a signal that is aborted during the request', async () => {
      const abort = new AbortController();
      const reason = new Error('enough');
      const sent = send('GET', path, { signal: abort.signal });
      abort.abort(reason);
      await expect(sent).rejects.toBe(reason);
      expect((await send('GET', '/version')).status).toBe(200);
    });

    it('ends a body with the reason of the signal', async () => {
      const abort = new AbortController();
      const reason = new Error('enough');
      const created = await create();
      const watch = await send('GET', watchUrl(created), { signal: abort.signal });
      const read = (async () => {
        for await (const _ of watch.body.chunks()) abort.abort(reason);
      })();
      await expect(read).rejects.toBe(reason);
    });

    it('leaves no listener on a signal that lives longer than its requests', async () => {
      const { signal } = new AbortController();
      await (await send('GET', '/version', { signal })).body.bytes();
      await (await send('GET', `${path}/missing`, { signal })).body.bytes();
      for await (const _ of (await send('GET', watchUrl(await create()), { signal })).body.chunks()) break;
      (await send('GET', watchUrl('nobody'), { signal })).body.cancel();
      expect(getEventListeners(signal, 'abort')).toEqual([]);
    });

    it.runIf(server.hasWebSockets)('rejects with the server’s response to a rejected WebSocket', async () => {
      const url = '/api/v1/namespaces/default/pods/missing/exec?command=x';
      const refused = await transport
        .openWebSocket({ url, headers: {}, protocols: ['v5.channel.k8s.io'] })
        .catch((error: unknown) => error);
      if (!(refused instanceof UpgradeRefusedError)) throw refused;
      expect(refused.response.status).toBe(404);
      expect(decode(await refused.response.body.bytes())).toMatchObject({ kind: 'Status', reason: 'NotFound' });
    });

    it('fails requests in progress and later ones when it is closed', async () => {
      const watch = await send('GET', watchUrl(await create()));
      const read = (async () => {
        for await (const _ of watch.body.chunks()) await transport.close();
      })();
      await expect(read).rejects.toBeInstanceOf(TransportError);
      await expect(send('GET', '/version')).rejects.toMatchObject({ name: 'TransportError', mayHaveBeenSent: false });
    });
  });
}
