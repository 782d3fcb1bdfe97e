import { type DeleteOptions, GroupVersion, newBadRequest, newUnsupportedMediaType } from '@coxswain/apimachinery';
import { messageOf } from '@coxswain/apimachinery/errors';
import type { ApiResponse } from '@coxswain/component-base/http';
import { headerOf } from '@coxswain/component-base/http';
import type { RequestContext } from '../http/request-context.ts';
import { inTurns } from '../turns/turns.ts';
import { deleteOptionsCodecs } from './delete-options-codecs.ts';
import { checkedDeleteOptions, isDryRun, readDeleteOptions } from './options.ts';
import { negotiate, outputOf } from './representation.ts';
import { assertJsonParts, maxSmallBodyBytes, readBody } from './request-body.ts';
import type { ResourceScope } from './scope.ts';
import { admissionAttributes } from './write-context.ts';
import { objectResponse, successResponse } from './write-response.ts';

/** Handles DELETE of one object. */
export async function deleteResource(context: RequestContext, scope: ResourceScope): Promise<ApiResponse> {
  const { info } = context;
  const { services, registry } = scope;
  const representation = negotiate(context, services.codecs, outputOf(scope));
  const options = await requestDeleteOptions(context);
  const dryRun = isDryRun(options);
  const { deleted, stored, status } = await registry.delete({
    namespace: info.namespace,
    name: info.name,
    options,
    dryRun,
    validate: deletionValidator(context, scope, options),
    warn: context.warn,
  });
  // As upstream: 202 only for requests that set the deprecated orphanDependents to false.
  const code = !deleted && options.orphanDependents === false ? 202 : 200;
  if (stored) return objectResponse(scope, code, stored, representation);
  return { ...successResponse(status!, representation), status: code };
}

/** Returns a function that runs admission for a deletion: mutating, then validating, as upstream. */
export function deletionValidator(
  context: RequestContext,
  scope: ResourceScope,
  given: DeleteOptions,
): (
  object: Parameters<NonNullable<Parameters<ResourceScope['registry']['delete']>[0]['validate']>>[0],
) => Promise<void> {
  const { admission } = scope.services;
  const options = { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1', ...given };
  const dryRun = isDryRun(given);
  return async (object) => {
    if (!admission.handles('DELETE')) return;
    // As upstream, the name is empty when a collection is deleted.
    const attributes = admissionAttributes(context, scope, 'DELETE', { oldObject: object, dryRun, options });
    await admission.admit(attributes);
    await admission.validate(attributes);
  };
}

/**
 * Reads DeleteOptions from the body, or from the query when the body is empty. Throws BadRequest, Invalid,
 * UnsupportedMediaType or RequestEntityTooLarge.
 */
export async function requestDeleteOptions(context: RequestContext): Promise<DeleteOptions> {
  const body = await readBody(context, maxSmallBodyBytes);
  if (body.length === 0) return checkedDeleteOptions(readDeleteOptions(context.query));
  const serializer = deleteOptionsCodecs.forInput(headerOf(context.request, 'content-type'));
  if (!serializer.accepted) throw newUnsupportedMediaType(serializer.supported);
  const kind = GroupVersion.of('meta.k8s.io', 'v1').withKind('DeleteOptions');
  try {
    if (serializer.accepted === deleteOptionsCodecs.json) assertJsonParts(body);
    const steps = serializer.accepted.decodeInSteps(body, { defaultGVK: kind });
    const { object } = await inTurns(context.turns, steps);
    const { kind: _, apiVersion: __, ...options } = object;
    return checkedDeleteOptions(options as DeleteOptions);
  } catch (error) {
    if (error instanceof Error && error.name === 'ApiError') throw error;
    throw newBadRequest(messageOf(error));
  }
}
