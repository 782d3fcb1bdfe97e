import { type FieldLabelConversion, fields, type GroupVersionKind, newBadRequest } from '@coxswain/apimachinery';
import { messageOf } from '@coxswain/apimachinery/errors';
import type { ApiResponse } from '@coxswain/component-base/http';
import type { RequestContext } from '../http/request-context.ts';
import { listObjects } from '../registry/list-objects.ts';
import { Selection } from '../registry/selection.ts';
import { type ListOptions, listOptions } from './options.ts';
import { negotiate, outputOf } from './representation.ts';
import type { EndpointServices, ResourceScope } from './scope.ts';
import { listResponse } from './write-response.ts';

/** Handles GET of a collection. */
export async function listResource(context: RequestContext, scope: ResourceScope): Promise<ApiResponse> {
  const representation = negotiate(context, scope.services.codecs, outputOf(scope));
  const options = listOptions(context.query, false);
  const selection = selectionOf(context, scope, options);
  const page = await listObjects(scope.registry, { ...options, namespace: context.info.namespace, selection });
  return listResponse(scope, page, representation);
}

/** Returns the selection of a list or watch. Throws BadRequest for field labels that the kind does not support. */
export function selectionOf(context: RequestContext, scope: ResourceScope, options: ListOptions): Selection {
  const { kind, registry, services } = scope;
  const { labelSelector } = options;
  let fieldSelector = knownFields(options.fieldSelector, kind, services, scope.custom?.fieldLabel);
  const { name, parts } = context.info;
  // A watch of one object by its path selects it by metadata.name.
  if (name !== '' && parts.length > 1) {
    const selected = fieldSelector.requiresExactMatch('metadata.name');
    if (!fieldSelector.isEmpty() && selected !== name)
      throw newBadRequest("fieldSelector metadata.name doesn't match requested name");
    if (fieldSelector.isEmpty()) fieldSelector = fields.oneTermEqualSelector('metadata.name', name);
  }
  return Selection.of(labelSelector, fieldSelector, registry.codec.fieldNames);
}

/** Converts the field labels of a selector to internal ones. Throws BadRequest for field labels that the kind does not support. */
export function knownFields(
  selector: fields.Selector,
  kind: GroupVersionKind,
  { scheme }: EndpointServices,
  convert: FieldLabelConversion = (field, text) => scheme.convertFieldLabel(kind, field, text),
): fields.Selector {
  if (selector.isEmpty()) return selector;
  try {
    return selector.transform((field, text) => {
      const { label, value } = convert(field, text);
      return [label, value];
    });
  } catch (error) {
    throw newBadRequest(messageOf(error));
  }
}
