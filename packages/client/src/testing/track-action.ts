import { isNotFound, newBadRequest } from '@coxswain/apimachinery/errors';
import { isJsonObject } from '@coxswain/apimachinery/json';
import type { APIResource, KubernetesObject, ListOptions, Status } from '@coxswain/apimachinery/meta';
import { serverFailure } from '../discovery/discovery-errors.ts';
import type { Unstructured } from '../dynamic/unstructured.ts';
import type { Action } from './action.ts';
import { scaleOf, withScale } from './fake-scale.ts';
import type { ObjectTracker } from './object-tracker.ts';
import { patchObject } from './patch-object.ts';

/**
 * Performs an action on the tracked objects and returns the response. Rejects with the ApiError that a server would
 * return.
 *
 * Supports the subresources `status` and `scale`. Subresources with the resource's own kind (`approval`, `resize`)
 * write the whole object. An object of another kind that is created (`eviction`, `token`) is returned unchanged and has
 * no effect, like reviews.
 */
export async function trackAction(tracker: ObjectTracker, action: Action, served: Served): Promise<object> {
  const { verb, resource, namespace, name } = action;
  if (!(served.subresource ?? served.resource).verbs.includes(verb)) {
    throw serverFailure(405);
  }
  const isOwnKind = !served.subresource || served.subresource.kind === served.resource.kind;
  const isStored = served.resource.verbs.includes('get');
  switch (verb) {
    case 'create':
      if (served.subresource) tracker.get(resource, namespace, name);
      if (!isOwnKind || !isStored) return objectOf(action);
      return served.subresource
        ? update(tracker, action)
        : tracker.create(resource, namespace, objectOf(action), writeOptions(action));
    case 'list':
      return tracker.list(resource, namespace, listOptions(action.options));
    case 'delete':
      return tracker.delete(resource, namespace, name, action.deleteOptions) ?? gone(action);
    case 'deletecollection':
      return tracker.deleteCollection(resource, namespace, listOptions(action.options), action.deleteOptions);
    default:
      if (action.subresource === 'scale') return scale(tracker, action);
      if (!isOwnKind) throw serverFailure(405);
      if (verb === 'get') return tracker.get(resource, namespace, name);
      return verb === 'update' ? update(tracker, action) : patch(tracker, action);
  }
}

/** The discovery entries of the action's resource and subresource. */
export interface Served {
  readonly resource: APIResource;
  readonly subresource?: APIResource;
}

function update(tracker: ObjectTracker, action: Action): object {
  const object = objectOf(action);
  const own = object.metadata?.name ?? '';
  if (own !== action.name) {
    throw newBadRequest(
      own === ''
        ? `the name of the object (${action.name} based on URL) was undeterminable: name must be provided`
        : `the name of the object (${own}) does not match the name on the URL (${action.name})`,
    );
  }
  return tracker.update(action.resource, action.namespace, object, writeOptions(action));
}

async function patch(tracker: ObjectTracker, action: Action): Promise<object> {
  const { resource, namespace, name, patch: given } = action;
  if (!given) throw newBadRequest('a patch has no body');
  const current = findOrUndefined(() => tracker.get(resource, namespace, name));
  if (!current && given.type === 'apply' && action.subresource === '' && isJsonObject(given.body)) {
    return tracker.create(resource, namespace, given.body, writeOptions(action));
  }
  const patched = await patchObject(current ?? tracker.get(resource, namespace, name), given);
  // There is no concurrent change, so only a resourceVersion in the patch itself can conflict.
  return tracker.update(resource, namespace, patched, writeOptions(action));
}

/** Handles the scale subresource. */
async function scale(tracker: ObjectTracker, action: Action): Promise<object> {
  const { verb, resource, namespace, name, patch: given } = action;
  const current = tracker.get(resource, namespace, name);
  if (verb === 'get') return scaleOf(current);
  const next = given ? await patchObject({ ...scaleOf(current) }, given) : objectOf(action);
  return scaleOf(tracker.update(resource, namespace, withScale(current, next), writeOptions(action)));
}

function findOrUndefined<T>(find: () => T): T | undefined {
  try {
    return find();
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

function objectOf({ object }: Action): Unstructured {
  if (!object) throw newBadRequest('the request has no object');
  return object;
}

const writeOptions = ({ options, subresource }: Action): { dryRun: boolean; subresource: string } => ({
  dryRun: options.dryRun === 'All',
  subresource,
});

/** Parses list options from query parameters. */
export function listOptions(query: Action['options']): ListOptions {
  const { labelSelector, fieldSelector, resourceVersion, continue: token, limit, sendInitialEvents } = query;
  return {
    ...(labelSelector !== undefined && { labelSelector }),
    ...(fieldSelector !== undefined && { fieldSelector }),
    ...(resourceVersion !== undefined && { resourceVersion }),
    ...(token !== undefined && { continue: token }),
    ...(limit !== undefined && { limit: Number(limit) }),
    ...(sendInitialEvents !== undefined && { sendInitialEvents: sendInitialEvents === 'true' }),
  };
}

const gone = ({ resource, name }: Action): Status & KubernetesObject => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Success',
  details: { name, ...(resource.group && { group: resource.group }), kind: resource.resource },
});
