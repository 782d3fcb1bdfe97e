import type { FeatureGates } from '@coxswain/api';
import type { Endpoints, Pod, Service } from '@coxswain/api/core/v1';
import { GroupResource, type KubernetesObject, newNotFound } from '@coxswain/apimachinery';
import type { Authorizer } from '@coxswain/component-base/authorization';
import type { RequestContext } from '../http/request-context.ts';
import type { Lister } from '../registry/lister.ts';
import type { Dialer } from './dialer.ts';
import type { KubeletConnection } from './kubelet-connection.ts';

/** What requests that are passed on need of the server. */
export interface ProxyDependencies {
  readonly pods: Lister<Pod>;
  readonly services: Lister<Service>;
  readonly endpoints: Lister<Endpoints>;
  readonly kubelets: KubeletConnection;
  readonly dialer: Dialer;
  readonly authorizer: Pick<Authorizer, 'authorize'>;
  readonly featureGates: FeatureGates;
  /** From 0 up to but not including 1. */
  readonly random: () => number;
  /** All addresses of a host name; an address is its own. */
  readonly lookup: (host: string) => Promise<readonly string[]>;
}

/** Throws NotFound; as upstream, of the resource that the request is for, whatever is looked for. */
export function getOf<T extends KubernetesObject>(lister: Lister<T>, { info }: RequestContext, name: string): T {
  const object = lister.get(info.namespace, name);
  if (!object) throw newNotFound(GroupResource.of(info.apiGroup, info.resource), name);
  return object;
}
