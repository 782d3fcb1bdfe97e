import type { KubernetesObject } from '@coxswain/apimachinery';
import type { ApiRequest, RequestHeaders } from '@coxswain/component-base/http';
import type { Lister } from '../registry/lister.ts';

/** A lister of the objects in `objects`, which tests may change. */
export function fakeLister<T extends KubernetesObject>(...objects: T[]): Lister<T> & { objects: T[] } {
  return {
    objects,
    synced: Promise.resolve(),
    get(namespace, name) {
      return this.objects.find(({ metadata }) => (metadata?.namespace ?? '') === namespace && metadata?.name === name);
    },
    list: () => objects,
    onChange: () => () => {},
  };
}

export interface FakeRequest {
  readonly path?: string;
  readonly headers?: RequestHeaders;
  readonly certificates?: readonly Uint8Array[];
  readonly user?: { username: string; groups: string[] };
}

export const fakeRequest = ({
  path = '/api',
  headers = {},
  certificates = [],
  user,
}: FakeRequest = {}): ApiRequest => ({
  method: 'GET',
  path,
  search: '',
  headers,
  connection: {
    remoteAddress: '192.0.2.1',
    protocol: 'HTTP/1.1',
    clientCertificates: certificates,
    ...(user && { user }),
  },
  signal: new AbortController().signal,
  readBody: async () => new Uint8Array(),
  async *streamBody() {},
});
