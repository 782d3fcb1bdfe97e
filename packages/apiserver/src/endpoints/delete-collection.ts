import { isNotFound } from '@coxswain/apimachinery';
import type { ApiResponse } from '@coxswain/component-base/http';
import type { RequestContext } from '../http/request-context.ts';
import { listObjects } from '../registry/list-objects.ts';
import { deletionValidator, requestDeleteOptions } from './delete.ts';
import { selectionOf } from './list.ts';
import { isDryRun, listOptions } from './options.ts';
import { negotiate, outputOf } from './representation.ts';
import type { ResourceScope } from './scope.ts';
import { assertPresentable, listResponse } from './write-response.ts';

/** The number of concurrent deletions. Concurrent writes share a commit of the store. */
const workers = 32;

/** Handles DELETE of a collection: deletes the objects that a list with the same parameters returns. It is not atomic. */
export async function deleteCollection(context: RequestContext, scope: ResourceScope): Promise<ApiResponse> {
  const { registry, services } = scope;
  const representation = negotiate(context, services.codecs, outputOf(scope));
  assertPresentable(scope, representation, true);
  const list = listOptions(context.query, false);
  const selection = selectionOf(context, scope, list);
  const options = await requestDeleteOptions(context);
  const dryRun = isDryRun(options);
  const page = await listObjects(registry, { ...list, namespace: context.info.namespace, selection });
  const validate = deletionValidator(context, scope, options);
  const waiting = page.objects.values();
  const work = async (): Promise<void> => {
    for (const { namespace, name } of waiting) {
      try {
        await registry.delete({ namespace, name, options, dryRun, validate, warn: context.warn });
      } catch (error) {
        // The object was deleted concurrently.
        if (!isNotFound(error)) throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(workers, page.objects.length) }, work));
  return listResponse(scope, page, representation);
}
