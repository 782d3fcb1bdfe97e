import type { PostStartHook } from '../bootstrap/index.ts';

/** What upstream's smaller hooks wait for. */
export interface StartStages {
  /** The store can be read. */
  readonly storage: () => Promise<unknown>;
  /** What is stored is known to authorization and admission. */
  readonly informers: () => Promise<unknown>;
}

/**
 * Upstream's hooks that are no hooks here, because what they start is part of something else. They stand in `/readyz` all the
 * same: scripts wait for them by name.
 */
const parts: Readonly<Record<string, keyof StartStages>> = {
  'start-apiserver-admission-initializer': 'informers',
  'generic-apiserver-start-informers': 'informers',
  'storage-object-count-tracker-hook': 'storage',
  'start-apiextensions-informers': 'informers',
  'start-apiextensions-controllers': 'informers',
  'peer-endpoint-reconciler-controller': 'storage',
  'storage-readiness': 'storage',
  'start-kube-aggregator-informers': 'informers',
  'apiservice-status-local-available-controller': 'informers',
  'apiservice-status-remote-available-controller': 'informers',
  'apiservice-openapi-controller': 'informers',
  'apiservice-openapiv3-controller': 'informers',
};

/** In which order upstream tells of them. */
const order: readonly string[] = [
  'start-apiserver-admission-initializer',
  'generic-apiserver-start-informers',
  'priority-and-fairness-config-consumer',
  'storage-object-count-tracker-hook',
  'start-apiextensions-informers',
  'start-apiextensions-controllers',
  'crd-informer-synced',
  'start-system-namespaces-controller',
  'peer-endpoint-reconciler-controller',
  'start-cluster-authentication-info-controller',
  'start-kube-apiserver-identity-lease-controller',
  'start-kube-apiserver-identity-lease-garbage-collector',
  'storage-readiness',
  'start-legacy-token-tracking-controller',
  'start-service-ip-repair-controllers',
  'rbac/bootstrap-roles',
  'scheduling/bootstrap-system-priority-classes',
  'priority-and-fairness-config-producer',
  'bootstrap-controller',
  'start-kubernetes-service-cidr-controller',
  'start-kube-aggregator-informers',
  'apiservice-status-local-available-controller',
  'apiservice-status-remote-available-controller',
  'apiservice-registration-controller',
  'apiservice-discovery-controller',
  'kube-apiserver-autoregistration',
  'apiservice-openapi-controller',
  'apiservice-openapiv3-controller',
];

/** The hooks, and a hook for each part, in upstream's order; what upstream has not comes last. */
export function withParts(hooks: readonly PostStartHook[], stages: StartStages): PostStartHook[] {
  const all = [
    ...hooks,
    ...Object.entries(parts).map(([name, stage]) => ({
      name,
      start: async () => {
        await stages[stage]();
      },
    })),
  ];
  const placeOf = ({ name }: PostStartHook): number => (order.includes(name) ? order.indexOf(name) : order.length);
  return all.sort((a, b) => placeOf(a) - placeOf(b));
}
