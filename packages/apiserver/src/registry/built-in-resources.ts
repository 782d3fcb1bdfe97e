import { Catalogue, type Resource, type Strategy, strategyFor } from '@coxswain/api';
import type { Namespace, Pod } from '@coxswain/api/core/v1';
import {
  compileNormalizer,
  GroupResource,
  GroupVersion,
  type GroupVersionKind,
  type KubernetesObject,
  newForbidden,
  type Scheme,
} from '@coxswain/apimachinery';
import { defaultGarbageCollectionPolicy, orphanedPodsWarning, podGracePeriodSeconds } from './graceful-deletion.ts';
import type { GarbageCollectionPolicy, ResourceDefinition } from './resource-definition.ts';
import type { ResourceHooks } from './resource-hooks.ts';
import { compileStoredForm } from './stored-form.ts';

/** Upstream's key prefixes that, for historical reasons, differ from the resource name. */
const specialPrefixes: Readonly<Record<string, string>> = {
  replicationcontrollers: 'controllers/',
  endpoints: 'services/endpoints/',
  nodes: 'minions/',
  services: 'services/specs/',
  'ingresses.networking.k8s.io': 'ingress/',
  'customresourcedefinitions.apiextensions.k8s.io': 'apiextensions.k8s.io/customresourcedefinitions/',
  'apiservices.apiregistration.k8s.io': 'apiregistration.k8s.io/apiservices/',
};

/** Resources whose DELETE returns the deleted object instead of a Status. */
const returned: ReadonlySet<string> = new Set([
  'resourceclaimtemplates.resource.k8s.io',
  'resourceslices.resource.k8s.io',
  'resourceclaims.resource.k8s.io',
  'deviceclasses.resource.k8s.io',
  'devicetaintrules.resource.k8s.io',
  'resourcepoolstatusrequests.resource.k8s.io',
  'csidrivers.storage.k8s.io',
  'storageclasses.storage.k8s.io',
  'volumeattachments.storage.k8s.io',
  'csinodes.storage.k8s.io',
  'volumeattributesclasses.storage.k8s.io',
  'resourcequotas',
  'persistentvolumes',
  'serviceaccounts',
  'persistentvolumeclaims',
  'namespaces',
  'pods',
  'services',
  'podtemplates',
]);

type Special = Pick<
  ResourceDefinition,
  'gracefulDeletion' | 'deletionMustWait' | 'marked' | 'beforeDelete' | 'ttlSeconds'
>;

/** Behavior of resources that is not part of the catalogue. */
const specials: Readonly<Record<string, Special>> = {
  pods: {
    gracefulDeletion: (pod, options) => ({ gracePeriodSeconds: podGracePeriodSeconds(pod as Pod, options) }),
  },
  namespaces: {
    deletionMustWait: (object) => ((object as Namespace).spec?.finalizers?.length ?? 0) > 0,
    marked: (object) => {
      const { deletionGracePeriodSeconds: _, ...metadata } = object.metadata ?? {};
      return { ...object, metadata, status: { ...(object as Namespace).status, phase: 'Terminating' } };
    },
  },
  'jobs.batch': {
    beforeDelete: (_, { propagationPolicy, orphanDependents }, warn) => {
      if (propagationPolicy === undefined && orphanDependents === undefined) warn?.(orphanedPodsWarning);
    },
  },
  'priorityclasses.scheduling.k8s.io': {
    beforeDelete: ({ metadata }) => {
      const { name = '' } = metadata ?? {};
      if (!name.startsWith('system-')) return;
      throw newForbidden(
        GroupResource.of('scheduling.k8s.io', 'priorityclasses'),
        name,
        'this is a system priority class and cannot be deleted',
      );
    },
  },
};

const policies: Readonly<Record<string, GarbageCollectionPolicy>> = {
  Delete: 'background',
  Orphan: 'orphan',
  Unsupported: 'unsupported',
};

export interface BuiltInResourceOptions {
  readonly scheme: Scheme;
  readonly eventTtlSeconds: number;
  readonly hooks: (resource: GroupResource) => ResourceHooks | undefined;
  /** Replaces the kind's strategy by one that depends on server state. */
  readonly strategies?: (resource: GroupResource) => Strategy | undefined;
  /** See `ResourceDefinition.retire`. */
  readonly retire?: (resource: GroupResource) => ResourceDefinition['retire'];
}

/** Returns the definition of a built-in resource, or undefined when it is never stored. */
export function builtInDefinition(
  { group, version }: GroupVersion,
  resource: Resource,
  options: BuiltInResourceOptions,
): ResourceDefinition | undefined {
  if (!resource.storageVersion && !resource.storageVersionHash) return undefined;
  const catalogue = Catalogue.builtIn();
  const hub = catalogue.hubOf(GroupVersion.of(group, version).withKind(resource.kind));
  const groupResource = GroupResource.of(hub.group, resource.name);
  const name = groupResource.toString();
  const stored = resource.storageVersion && GroupVersion.parse(resource.storageVersion).withKind(resource.kind);
  const strategy = options.strategies?.(groupResource) ?? strategyFor(hub) ?? {};
  const schema = catalogue.kind(hub)?.schema;
  const retire = options.retire?.(groupResource);
  return {
    groupResource,
    kind: resource.kind,
    namespaced: resource.namespaced,
    hub,
    storage: stored && catalogue.kind(stored) ? stored : hub,
    keyPrefix: specialPrefixes[name] ?? `${resource.name}/`,
    strategy,
    ...(schema && {
      complete: (object: KubernetesObject): KubernetesObject => compileNormalizer(schema)(object).object,
      storedForm: whenUsed(() => compileStoredForm(hub, schema, strategy, options.scheme)),
    }),
    hooks: options.hooks(groupResource) ?? {},
    garbageCollection: policies[defaultGarbageCollectionPolicy(hub.apiVersion, resource.name)] ?? 'background',
    returnsDeletedObject: returned.has(name),
    ...(name === 'events' && { ttlSeconds: options.eventTtlSeconds }),
    ...specials[name],
    ...(retire && { retire }),
    convert: (object: KubernetesObject, target: GroupVersion) => options.scheme.unsafeConvertToVersion(object, target),
    schemaFor: (gvk: GroupVersionKind) => catalogue.kind(gvk)?.schema,
  };
}

type StoredForm = NonNullable<ResourceDefinition['storedForm']>;

/** Compiles the function on its first call, because most kinds are never written. */
function whenUsed(make: () => StoredForm): StoredForm {
  let made: StoredForm | undefined;
  return (object, isNew) => {
    made ??= make();
    return made(object, isNew);
  };
}
