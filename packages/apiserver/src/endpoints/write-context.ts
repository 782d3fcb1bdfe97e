import type { KubernetesObject, OwnerReference } from '@coxswain/apimachinery';
import type { AdmissionAttributes, Operation } from '../admission/admission.ts';
import type { RequestContext } from '../http/request-context.ts';
import type { WriteContext } from '../registry/resource-hooks.ts';
import type { ResourceScope } from './scope.ts';

/** What strategies may know of the request. */
export function writeContext(context: RequestContext, scope: ResourceScope, dryRun: boolean): WriteContext {
  const { services } = scope;
  const { namespace } = context.info;
  return {
    features: services.features,
    ...(scope.namespaced && { namespace }),
    // Few strategies ask.
    get namespaceLabels() {
      return services.namespaces.get('', namespace)?.metadata?.labels ?? {};
    },
    user: context.user,
    now: services.now,
    allowPrivileged: services.allowPrivileged,
    serviceIPFamilies: services.serviceIPFamilies,
    warn: context.warn,
    requestGroupVersion: scope.kind.apiVersion,
    dryRun,
  };
}

/** A write as admission sees it. */
export function admissionAttributes(
  context: RequestContext,
  scope: ResourceScope,
  operation: Operation,
  parts: Pick<AdmissionAttributes, 'object' | 'oldObject' | 'dryRun'> & {
    readonly name?: string;
    readonly subresource?: string;
  },
): AdmissionAttributes {
  const { info } = context;
  const name = parts.name ?? info.name;
  return {
    kind: scope.kind,
    resource: scope.resource,
    subresource: info.subresource,
    // A namespace is in itself, as far as admission is concerned.
    namespace: info.namespace || (scope.resource.resource === 'namespaces' && scope.resource.group === '' ? name : ''),
    user: context.user,
    warn: context.warn,
    annotate: context.annotate,
    operation,
    ...parts,
    name,
  };
}

/** Owners count once; whoever named one twice is told. Gives the object itself when there is nothing to do. */
export function withoutDuplicateOwners(
  object: KubernetesObject,
  warn: (text: string) => void,
  afterAdmission: boolean,
): KubernetesObject {
  const owners = object.metadata?.ownerReferences;
  if (!owners || owners.length < 2) return object;
  const kept: OwnerReference[] = [];
  const duplicates: string[] = [];
  for (const owner of owners) {
    if (kept.some((other) => isSameOwner(owner, other))) duplicates.push(owner.uid);
    else kept.push(owner);
  }
  if (duplicates.length === 0) return object;
  const uids = duplicates.join(', ');
  warn(
    afterAdmission
      ? `.metadata.ownerReferences contains duplicate entries after mutating admission happens; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${uids}`
      : `.metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${uids}`,
  );
  return { ...object, metadata: { ...object.metadata, ownerReferences: kept } };
}

const isSameOwner = (a: OwnerReference, b: OwnerReference): boolean =>
  a.uid === b.uid &&
  a.name === b.name &&
  a.kind === b.kind &&
  a.apiVersion === b.apiVersion &&
  a.controller === b.controller &&
  a.blockOwnerDeletion === b.blockOwnerDeletion;
