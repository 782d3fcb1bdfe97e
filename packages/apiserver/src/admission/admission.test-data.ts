import { FeatureGates } from '@coxswain/api';
import { GroupVersionKind, GroupVersionResource, type KubernetesObject, newNotFound } from '@coxswain/apimachinery';
import { systemClock } from '@coxswain/apimachinery/clock';
import { systemEventLoop } from '@coxswain/apimachinery/turns';
import type { InternalClient, Lister, Listers } from '../registry/lister.ts';
import type { AdmissionAttributes } from './admission.ts';
import type { AdmissionContext } from './plugin-context.ts';

/** Warnings and audit annotations of a plug-in. */
export interface Told {
  readonly warnings: string[];
  readonly annotations: Record<string, string>;
}

/** Attributes that differ from the defaults. */
export type Parts = Partial<Omit<AdmissionAttributes, 'resource' | 'kind' | 'user'>> & { readonly username?: string };

/** The attributes of a write: a create in the namespace `n`, of a resource such as `apps/v1/deployments`. */
export function newAttributes({
  resource,
  kind,
  username = 'admin',
  ...parts
}: Parts & { readonly resource: string; readonly kind: string }): AdmissionAttributes & Told {
  const [name = '', version = '', group = ''] = resource.split('/').reverse();
  const warnings: string[] = [];
  const annotations: Record<string, string> = {};
  return {
    operation: 'CREATE',
    kind: GroupVersionKind.of(group, version, kind),
    resource: GroupVersionResource.of(group, version, name),
    subresource: '',
    name: parts.object?.metadata?.name ?? '',
    namespace: 'n',
    dryRun: false,
    user: { username, groups: [] },
    warn: (text) => warnings.push(text),
    annotate: (key, value) => {
      annotations[key] = value;
    },
    signal: undefined,
    deadline: undefined,
    clock: systemClock,
    eventLoop: systemEventLoop,
    ...parts,
    warnings,
    annotations,
  };
}

/** A context with these objects by resource: `pods`, `deviceclasses.resource.k8s.io`. */
export function newAdmissionContext(
  objects: Readonly<Record<string, readonly KubernetesObject[]>>,
): Pick<AdmissionContext, 'listers' | 'client' | 'features' | 'now'> {
  const all = (group: string, resource: string) => objects[group === '' ? resource : `${resource}.${group}`] ?? [];
  const listers: Listers = {
    lister: <T extends KubernetesObject>(group: string, resource: string): Lister<T> => ({
      synced: Promise.resolve(),
      get: (namespace, name) => find(all(group, resource), namespace, name) as T | undefined,
      list: (namespace = '') =>
        all(group, resource).filter(({ metadata }) => !namespace || metadata?.namespace === namespace) as T[],
      onChange: () => () => {},
    }),
  };
  const client: InternalClient = {
    get: async <T extends KubernetesObject>(group: string, resource: string, namespace: string, name: string) => {
      const found = find(all(group, resource), namespace, name);
      if (!found) throw newNotFound(GroupVersionResource.of(group, 'v1', resource).groupResource, name);
      return found as T;
    },
    create: () => Promise.reject(new Error('nothing is created here')),
    update: () => Promise.reject(new Error('nothing is updated here')),
    delete: () => Promise.reject(new Error('nothing is deleted here')),
  };
  return { listers, client, features: FeatureGates.defaults, now: () => new Date('2026-01-01T00:00:00Z') };
}

const find = (objects: readonly KubernetesObject[], namespace: string, name: string): KubernetesObject | undefined =>
  objects.find(({ metadata }) => metadata?.name === name && (metadata.namespace ?? '') === namespace);
