import type { ApiResponse } from '@coxswain/component-base/http';
import { startTestServer, tokens } from '../../test/requests/test-server.ts';
import type { ApiServer } from '../server/api-server.ts';

export type Json = Record<string, unknown>;

export interface TestObject extends Json {
  readonly metadata: Json & { readonly name: string; readonly resourceVersion: string };
  readonly spec: Json;
  readonly items: TestObject[];
  readonly message: string;
}

/** A server and a JSON client of it. */
export class TestApi {
  readonly server: ApiServer;

  private constructor(server: ApiServer) {
    this.server = server;
  }

  static async start(): Promise<TestApi> {
    return TestApi.of(await startTestServer('plain'));
  }

  static of(server: ApiServer): TestApi {
    return new TestApi(server);
  }

  async send(method: string, url: string, body?: object, type = 'application/json'): Promise<[number, TestObject]> {
    const response = await this.raw(method, url, body, type);
    const text = Buffer.from(response.body as Uint8Array).toString();
    return [response.status, text.startsWith('{') ? JSON.parse(text) : ({ message: text } as TestObject)];
  }

  raw(method: string, url: string, body?: object, type = 'application/json'): Promise<ApiResponse> {
    const headers = { authorization: `Bearer ${tokens.admin}`, 'content-type': type, accept: 'application/json' };
    return this.server.transport()({
      method,
      url,
      headers,
      ...(body && { body: Buffer.from(JSON.stringify(body)) }),
    });
  }

  /** Creates the definition and waits until it is established. */
  async define(definition: object): Promise<TestObject> {
    const [status, created] = await this.send('POST', definitionsUrl, definition);
    if (status !== 201) throw new Error(created.message);
    return this.until(`${definitionsUrl}/${created.metadata.name}`, isEstablished);
  }

  /** Polls until the condition holds. */
  async until(url: string, isSo: (object: TestObject) => boolean): Promise<TestObject> {
    for (;;) {
      const [, object] = await this.send('GET', url);
      if (isSo(object)) return object;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Starts a watch. The returned function resolves to the next event, or null at its end. */
  async watch(url: string): Promise<() => Promise<Json | null>> {
    const { body } = await this.raw('GET', `${url}${url.includes('?') ? '&' : '?'}watch=1`);
    if (!body || !('stream' in body)) throw new Error('no watch');
    const events: (Json | null)[] = [];
    let wake = (): void => {};
    const push = (event: Json | null): void => {
      events.push(event);
      wake();
    };
    body.stream({
      write: (chunk) => {
        for (const line of Buffer.from(chunk).toString().split('\n')) if (line) push(JSON.parse(line));
        return true;
      },
      pendingBytes: 0,
      onDrain: () => {},
      onClose: () => {},
      end: () => push(null),
      destroy: () => push(null),
    });
    return async () => {
      while (events.length === 0)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      return events.shift()!;
    };
  }
}

export const definitionsUrl = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

const isEstablished = ({ status }: TestObject): boolean =>
  ((status as Json | undefined)?.conditions as Json[] | null)?.some(
    (condition) => condition.type === 'Established' && condition.status === 'True',
  ) ?? false;

const text = { type: 'string' };

/** A version with these fields in its spec, all of type string. */
export const versionOf = (name: string, storage: boolean, ...fields: string[]): Json => ({
  name,
  served: true,
  storage,
  schema: {
    openAPIV3Schema: {
      type: 'object',
      properties: {
        spec: { type: 'object', properties: Object.fromEntries(fields.map((field) => [field, text])) },
      },
    },
  },
});

/** The definition of the namespaced resource `ats` in the group. */
export const definitionOf = (group: string, versions: readonly Json[], others: Json = {}): Json => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `ats.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural: 'ats', singular: 'at', kind: 'At', listKind: 'AtList' },
    versions,
    ...others,
  },
});

export const atsUrl = (group: string, version: string, name = ''): string =>
  `/apis/${group}/${version}/namespaces/default/ats${name && `/${name}`}`;
