import type { KubernetesObject, TypeMeta } from '@coxswain/apimachinery/meta';
import type { ApplyCallOptions, CallOptions, PatchType } from '../rest/index.ts';
import type { SubresourceClient } from './subresource-client.ts';
import type { ProxyOptions } from './subresource-methods.ts';

type Client = SubresourceClient<KubernetesObject>;
type Methods = Readonly<Record<string, unknown>>;

/**
 * The implementations of the subresources' methods; `subresource-methods.ts` has their types. `attach`, `exec` and
 * `portforward` are in `remote/`, because they use WebSockets.
 */
export const subresources: ReadonlyMap<string, Methods> = new Map<string, Methods>([
  [
    'status',
    {
      ...readingAndWriting('status', 'Status'),
      // These methods take the name from the object, like `update` and `apply`.
      updateStatus(this: Client, object: KubernetesObject, options?: CallOptions) {
        return write(this, 'PUT', 'status', nameOf(object), object, options);
      },
      applyStatus(this: Client, configuration: KubernetesObject, options: ApplyCallOptions) {
        return apply(this, 'status', nameOf(configuration), configuration, options);
      },
    },
  ],
  ['scale', readingAndWriting('scale', 'Scale', { apiVersion: 'autoscaling/v1', kind: 'Scale' })],
  ['ephemeralcontainers', readingAndWriting('ephemeralcontainers', 'EphemeralContainers')],
  ['resize', readingAndWriting('resize', 'Resize')],
  ['approval', readingAndWriting('approval', 'Approval')],
  ['eviction', { evict: creating('eviction', { apiVersion: 'policy/v1', kind: 'Eviction' }) }],
  ['binding', { bind: creating('binding', { apiVersion: 'v1', kind: 'Binding' }) }],
  ['token', { createToken: creating('token', { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest' }) }],
  [
    'finalize',
    {
      finalize(this: Client, object: KubernetesObject, options?: CallOptions) {
        return write(this, 'PUT', 'finalize', nameOf(object), object, options);
      },
    },
  ],
  [
    'log',
    {
      async getLogs(this: Client, name: string, options: CallOptions = {}) {
        // Logs are always text, whatever media type the client accepts otherwise.
        const headers = { accept: 'text/plain, */*' };
        return this.rest.stream(this.subresourceRequest({ method: 'GET', name, subresource: 'log', options, headers }));
      },
    },
  ],
  ['proxy', { proxy }],
]);

function readingAndWriting(subresource: string, suffix: string, type?: TypeMeta): Methods {
  return {
    async [`get${suffix}`](this: Client, name: string, options: CallOptions = {}) {
      return this.rest.request(this.subresourceRequest({ method: 'GET', name, subresource, options }));
    },
    [`update${suffix}`](this: Client, name: string, object: KubernetesObject, options?: CallOptions) {
      return write(this, 'PUT', subresource, name, object, options, type);
    },
    async [`patch${suffix}`](
      this: Client,
      name: string,
      patchType: PatchType,
      body: unknown,
      options: CallOptions = {},
    ) {
      const headers = { 'content-type': `application/${patchType}-patch+json` };
      const call = { method: 'PATCH', name, subresource, options, body, headers };
      return this.rest.request(this.subresourceRequest(call));
    },
    [`apply${suffix}`](this: Client, name: string, configuration: KubernetesObject, options: ApplyCallOptions) {
      return apply(this, subresource, name, configuration, options, type);
    },
  };
}

function creating(subresource: string, type: TypeMeta) {
  return function (this: Client, name: string, object?: KubernetesObject, options?: CallOptions) {
    return write(this, 'POST', subresource, name, named(object, name), options, type);
  };
}

async function write(
  client: Client,
  method: string,
  subresource: string,
  name: string,
  object: KubernetesObject,
  options: CallOptions = {},
  type?: TypeMeta,
) {
  const body = typed(client, object, type);
  return client.rest.request(client.subresourceRequest({ method, name, subresource, options, body }));
}

async function apply(
  client: Client,
  subresource: string,
  name: string,
  configuration: KubernetesObject,
  options: ApplyCallOptions,
  type?: TypeMeta,
) {
  const body = typed(client, named(configuration, name), type);
  const headers = { 'content-type': 'application/apply-patch+yaml' };
  return client.rest.request(client.subresourceRequest({ method: 'PATCH', name, subresource, options, body, headers }));
}

async function proxy(this: Client, name: string, path = '', options: ProxyOptions = {}) {
  const { method = 'GET', scheme, port, query = {}, headers, body, signal, timeoutMs } = options;
  const target = scheme ? `${scheme}:${name}:${port ?? ''}` : port === undefined ? name : `${name}:${port}`;
  const segments = path.replace(/^\//, '').split('/');
  // These would leave the proxy's path and address other resources.
  if (segments.some((segment) => segment === '.' || segment === '..'))
    throw new Error(`invalid path ${JSON.stringify(path)}: may not contain '.' or '..'`);
  return this.rest.stream(
    this.subresourceRequest({
      method,
      name: target,
      subresource: 'proxy',
      options: { ...(signal && { signal }), ...(timeoutMs !== undefined && { timeoutMs }) },
      query,
      body,
      headers: { accept: '*/*', ...headers },
      below: path === '' ? '' : `/${segments.map(encodeURIComponent).join('/')}`,
    }),
  );
}

/** Adds apiVersion and kind, because objects from lists and caches lack them. */
function typed(client: Client, object: KubernetesObject, type?: TypeMeta): KubernetesObject {
  const { group, version, kind } = client.resource;
  return { ...(type ?? { apiVersion: group === '' ? version : `${group}/${version}`, kind }), ...object };
}

const named = (object: KubernetesObject | undefined, name: string): KubernetesObject => ({
  ...object,
  metadata: { name, ...object?.metadata },
});

function nameOf(object: KubernetesObject): string {
  return object.metadata?.name ?? '';
}
