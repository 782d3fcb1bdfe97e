import type { PostStartHook } from '../bootstrap/index.ts';

/** The stages of the start that upstream's smaller hooks wait for. */
export interface StartStages {
  /** Resolves when the store can be read. */
  readonly storage: () => Promise<unknown>;
  /** Resolves when the listers of authorization have synced. */
  readonly informers: () => Promise<unknown>;
}

/**
 * Upstream's post-start hooks that start nothing here, because their work is part of something else. They are listed in `/readyz`
 * anyway, because scripts wait for them by name.
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

/** Upstream's order of hooks in health responses. */
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

/** Returns the hooks and those of `parts` in upstream's order. Hooks that upstream does not have come last. */
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
