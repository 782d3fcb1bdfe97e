import { newBadRequest, newUnsupportedMediaType } from '@coxswain/apimachinery/errors';
import { isJsonObject } from '@coxswain/apimachinery/json';
import { GroupVersionKind } from '@coxswain/apimachinery/meta';
import {
  applyJsonPatch,
  applyMergePatch,
  applyStrategicMergePatch,
  interpretPatchError,
} from '@coxswain/apimachinery/patch';
import type { StructSchema } from '@coxswain/apimachinery/schema';
import type { Unstructured } from '../dynamic/unstructured.ts';
import type { Action } from './action.ts';

/** The media types of patches. Custom resources support all but the last. */
const mediaTypes = new Map<string, NonNullable<Action['patch']>['type']>([
  ['application/json-patch+json', 'json'],
  ['application/merge-patch+json', 'merge'],
  ['application/apply-patch+yaml', 'apply'],
  ['application/strategic-merge-patch+json', 'strategic-merge'],
]);

/** Returns the patch type of a media type. Throws UnsupportedMediaType. */
export function patchTypeOf(mediaType: string): NonNullable<Action['patch']>['type'] {
  const type = mediaTypes.get(mediaType.split(';')[0]?.trim() ?? '');
  if (!type) throw newUnsupportedMediaType([...mediaTypes.keys()]);
  return type;
}

/**
 * Returns the patched object. Apply is only a merge without field ownership: it neither conflicts nor removes fields of
 * an earlier apply. Strategic merge needs the schema of a built-in kind.
 */
export async function patchObject(
  object: Unstructured,
  { type, body }: NonNullable<Action['patch']>,
): Promise<Unstructured> {
  const schema = type === 'strategic-merge' || type === 'apply' ? await schemaOf(object) : undefined;
  if (type === 'strategic-merge' && !schema) throw newUnsupportedMediaType([...mediaTypes.keys()].slice(0, -1));
  const patched = interpreting(() => {
    if (type === 'json') return applyJsonPatch(object, body);
    return schema ? applyStrategicMergePatch(object, body, schema) : applyMergePatch(object, body);
  });
  if (!isJsonObject(patched)) throw newBadRequest('the result of the patch is not an object');
  return patched;
}

function interpreting<T>(patch: () => T): T {
  try {
    return patch();
  } catch (error) {
    throw interpretPatchError(error);
  }
}

async function schemaOf(object: Unstructured): Promise<StructSchema | undefined> {
  const { Catalogue } = await import('@coxswain/api');
  return Catalogue.builtIn().kind(GroupVersionKind.fromObject(object))?.schema;
}
