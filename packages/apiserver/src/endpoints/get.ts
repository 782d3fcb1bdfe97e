import type { ApiResponse } from '@coxswain/component-base/http';
import type { RequestContext } from '../http/request-context.ts';
import { assertNotExport } from './options.ts';
import { negotiate, outputOf } from './representation.ts';
import type { ResourceScope } from './scope.ts';
import { objectResponse } from './write-response.ts';

/** Handles GET of one object. */
export async function getResource(context: RequestContext, scope: ResourceScope): Promise<ApiResponse> {
  const { info, query } = context;
  assertNotExport(query);
  const representation = negotiate(context, scope.services.codecs, outputOf(scope));
  const stored = await scope.registry.get(info.namespace, info.name, query.get('resourceVersion') ?? '');
  return objectResponse(scope, 200, stored, representation);
}
