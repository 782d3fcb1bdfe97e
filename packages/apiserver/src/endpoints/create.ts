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

/** POST: a new object. */
export async function createResource(context: RequestContext, scope: ResourceScope): Promise<ApiResponse> {
  const { services, registry } = scope;
  const representation = negotiate(context, services.codecs, outputOf(scope));
  assertPresentable(scope, representation, false);
  const options = createOptions(context.query);
  const { fieldValidation } = options;
  const { custom } = scope;
  const given = await readObject(context, { kind: scope.kind, fieldValidation, ...(custom && { custom }) }, services);
  const dryRun = isDryRun(options);
  const hub = inRequestNamespace(withoutSystemFields(scope.toHub(given)), context, scope);
  const manager = managerOrUserAgent(options.fieldManager, headerOf(context.request, 'user-agent'));
  const owned = withoutDuplicateOwners(hub, context.warn, false);
  const tracked = await scope.track('', undefined, owned, manager);
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

/** What only the server writes. */
function withoutSystemFields(object: KubernetesObject): KubernetesObject {
  const {
    creationTimestamp: _,
    uid: __,
    deletionTimestamp: ___,
    deletionGracePeriodSeconds: ____,
    selfLink: _____,
    ...metadata
  } = object.metadata ?? {};
  return { ...object, metadata };
}

/** The object in the namespace of the request's path. Throws BadRequest when it says another. */
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
