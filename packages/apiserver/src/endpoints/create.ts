import { type KubernetesObject, managerOrUserAgent, type ObjectMeta } from '@coxswain/apimachinery';
import type { ApiResponse } from '@coxswain/component-base/http';
import { headerOf } from '@coxswain/component-base/http';
import type { RequestContext } from '../http/request-context.ts';
import { namespaceMismatch } from '../registry/update-object.ts';
import { readObject } from './decode-body.ts';
import { createOptions, isDryRun } from './options.ts';
import { negotiate, outputOf } from './representation.ts';
import type { ResourceScope } from './scope.ts';
import { admissionAttributes, withoutDuplicateOwners, writeContext } from './write-context.ts';
import { assertPresentable, objectResponse } from './write-response.ts';

/** Handles POST: creates an object. */
export async function createResource(context: RequestContext, scope: ResourceScope): Promise<ApiResponse> {
  const { services, registry } = scope;
  const representation = negotiate(context, services.codecs, outputOf(scope));
  assertPresentable(scope, representation, false);
  const options = createOptions(context.query);
  const { fieldValidation } = options;
  const { custom } = scope;
  const given = await readObject(context, { kind: scope.kind, fieldValidation, ...(custom && { custom }) }, services);
  const dryRun = isDryRun(options);
  const { turns } = context;
  const hub = putInRequestNamespace(withoutSystemFields(scope.toHub(given)), context, scope);
  if (turns) await turns.next();
  const manager = managerOrUserAgent(options.fieldManager, headerOf(context.request, 'user-agent'));
  const owned = withoutDuplicateOwners(hub, context.warn, false);
  const tracked = await scope.track({ subresource: '', live: undefined, next: owned, manager, turns });
  if (turns) await turns.next();
  const { admission } = services;
  let object = tracked;
  if (admission.handles('CREATE')) {
    const name = tracked.metadata?.name ?? '';
    await admission.admit(admissionAttributes(context, scope, 'CREATE', { object: tracked, dryRun, name }));
    object = inRequestNamespace(withoutDuplicateOwners(tracked, context.warn, true), context, scope);
  }
  const stored = await registry.create(object, writeContext(context, scope, dryRun), (ready) =>
    admission.validate(
      admissionAttributes(context, scope, 'CREATE', { object: ready, dryRun, name: ready.metadata?.name ?? '' }),
    ),
  );
  return objectResponse(scope, 201, stored, representation);
}

const systemFields: ReadonlySet<string> = new Set<keyof ObjectMeta>([
  'creationTimestamp',
  'uid',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'selfLink',
]);

/** Removes the metadata fields that only the server sets. Returns the same object when it has none of them. */
function withoutSystemFields(object: KubernetesObject): KubernetesObject {
  const { metadata } = object;
  if (!metadata) return { ...object, metadata: {} };
  const names = Object.keys(metadata);
  if (!names.some((name) => systemFields.has(name))) return object;
  const kept = Object.entries(metadata).filter(([name]) => !systemFields.has(name));
  return { ...object, metadata: Object.fromEntries(kept) };
}

/** Like `inRequestNamespace`, but sets the namespace in place where possible. For objects decoded from a request, which are not shared. */
export function putInRequestNamespace(
  object: KubernetesObject,
  context: RequestContext,
  scope: Pick<ResourceScope, 'namespaced'>,
): KubernetesObject {
  const { metadata } = object;
  if (!metadata || metadata.namespace !== undefined || !scope.namespaced || !context.info.namespace)
    return inRequestNamespace(object, context, scope);
  metadata.namespace = context.info.namespace;
  return object;
}

/** Returns the object with the namespace of the request's path. Throws BadRequest when it has a different one. */
export function inRequestNamespace(
  object: KubernetesObject,
  { info }: RequestContext,
  { namespaced }: Pick<ResourceScope, 'namespaced'>,
): KubernetesObject {
  const wanted = namespaced ? info.namespace : '';
  const metadata: ObjectMeta = object.metadata ?? {};
  const { namespace = '' } = metadata;
  if (namespace === wanted) return object;
  if (namespace === '') return { ...object, metadata: { ...metadata, namespace: wanted } };
  if (wanted !== '') throw namespaceMismatch();
  const { namespace: _, ...rest } = metadata;
  return { ...object, metadata: rest };
}
