import type { FeatureGates } from '@coxswain/api';
import type { Endpoints, Pod, Service } from '@coxswain/api/core/v1';
import { GroupResource, type KubernetesObject, newNotFound } from '@coxswain/apimachinery';
import type { Authorizer } from '@coxswain/component-base/authorization';
import type { RequestContext } from '../http/request-context.ts';
import type { Lister } from '../registry/lister.ts';
import type { Dialer } from './dialer.ts';
import type { KubeletConnection } from './kubelet-connection.ts';

/** The dependencies of proxied requests. */
export interface ProxyDependencies {
  readonly pods: Lister<Pod>;
  readonly services: Lister<Service>;
  readonly endpoints: Lister<Endpoints>;
  readonly kubelets: KubeletConnection;
  readonly dialer: Dialer;
  readonly authorizer: Pick<Authorizer, 'authorize'>;
  readonly featureGates: FeatureGates;
  /** Returns a number from 0 up to but not including 1. */
  readonly random: () => number;
  /** Resolves a host name to all its addresses. An IP address resolves to itself. */
  readonly lookup: (host: string) => Promise<readonly string[]>;
}

/** Returns an object from a lister. Throws NotFound; as upstream, the error names the resource of the request. */
export function getOf<T extends KubernetesObject>(lister: Lister<T>, { info }: RequestContext, name: string): T {
  const object = lister.get(info.namespace, name);
  if (!object) throw newNotFound(GroupResource.of(info.apiGroup, info.resource), name);
  return object;
}
