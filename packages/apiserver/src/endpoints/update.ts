import { type KubernetesObject, managerOrUserAgent, newBadRequest, newConflict } from '@coxswain/apimachinery';
import type { ApiResponse } from '@coxswain/component-base/http';
import { headerOf } from '@coxswain/component-base/http';
import { forbidden } from '../authorization/index.ts';
import type { RequestContext } from '../http/request-context.ts';
import type { ValidateWrite } from '../registry/resource-registry.ts';
import { inRequestNamespace, putInRequestNamespace } from './create.ts';
import { readObject } from './decode-body.ts';
import { isDryRun, updateOptions } from './options.ts';
import { negotiate, outputOf } from './representation.ts';
import type { ResourceScope } from './scope.ts';
import { admissionAttributes, withoutDuplicateOwners, writeContext } from './write-context.ts';
import { assertPresentable, objectResponse } from './write-response.ts';

/** Handles PUT: replaces an object, or the part of it that is the subresource. */
export async function updateResource(context: RequestContext, scope: ResourceScope): Promise<ApiResponse> {
  const { services, registry } = scope;
  const { name, namespace, subresource } = context.info;
  const representation = negotiate(context, services.codecs, outputOf(scope));
  assertPresentable(scope, representation, false);
  const options = updateOptions(context.query);
  const { fieldValidation } = options;
  const { custom } = scope;
  const body = await readObject(context, { kind: scope.kind, fieldValidation, ...(custom && { custom }) }, services);
  const hub = putInRequestNamespace(scope.toHub(body), context, scope);
  assertName(hub, name);
  const given = withoutDuplicateOwners(hub, context.warn, false);
  const manager = managerOrUserAgent(options.fieldManager, headerOf(context.request, 'user-agent'));
  const dryRun = isDryRun(options);
  const { stored, created } = await registry.update({
    namespace,
    name,
    context: writeContext(context, scope, dryRun),
    ...(subresource && { subresource }),
    change: async (current) => {
      assertUid(given, current, scope, name);
      const { turns } = context;
      if (turns) await turns.next();
      const tracked = await scope.track({ subresource, live: current, next: given, manager, turns });
      if (turns) await turns.next();
      return admitChange(context, scope, tracked, current, dryRun);
    },
    validate: validateChange(context, scope, dryRun),
  });
  return objectResponse(scope, created ? 201 : 200, stored, representation);
}

/** Runs mutating admission of an update, or of a create by update. Returns the admitted object. */
export async function admitChange(
  context: RequestContext,
  scope: ResourceScope,
  object: KubernetesObject,
  current: KubernetesObject | undefined,
  dryRun: boolean,
): Promise<KubernetesObject> {
  const { admission } = scope.services;
  const operation = current ? 'UPDATE' : 'CREATE';
  if (!admission.handles(operation)) return object;
  const parts = { object, ...(current && { oldObject: current }), dryRun };
  await admission.admit(admissionAttributes(context, scope, operation, parts));
  const admitted = withoutDuplicateOwners(object, context.warn, true);
  return current ? admitted : inRequestNamespace(admitted, context, scope);
}

/** Returns the validating admission of an update. A create by update also needs the permission to create: throws Forbidden. */
export function validateChange(context: RequestContext, scope: ResourceScope, dryRun: boolean): ValidateWrite {
  const { admission, authorizer } = scope.services;
  return async (object, old) => {
    if (!old) {
      const { info, user } = context;
      const attributes = { ...info, user, verb: 'create', resourceRequest: true };
      const { decision, reason } = await authorizer.authorize(attributes);
      if (decision !== 'allow') throw forbidden(attributes, reason);
    }
    const parts = { object, ...(old && { oldObject: old }), dryRun };
    await admission.validate(admissionAttributes(context, scope, old ? 'UPDATE' : 'CREATE', parts));
  };
}

export function assertName({ metadata }: KubernetesObject, name: string): void {
  const { name: own = '' } = metadata ?? {};
  if (own === name) return;
  throw newBadRequest(
    own === ''
      ? `the name of the object (${name} based on URL) was undeterminable: name must be provided`
      : `the name of the object (${own}) does not match the name on the URL (${name})`,
  );
}

/** Throws Conflict when the client's object has a uid that is not that of the current object. */
function assertUid(
  { metadata }: KubernetesObject,
  current: KubernetesObject | undefined,
  { groupResource, registry }: ResourceScope,
  name: string,
): void {
  const uid = metadata?.uid;
  const stored = current?.metadata?.uid ?? '';
  if (uid && uid !== stored) {
    const key = registry.keys.key(metadata?.namespace ?? '', name);
    throw newConflict(
      groupResource,
      name,
      `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${uid}, UID in object meta: ${stored}`,
    );
  }
}
