import { Catalogue, strategyFor } from '@coxswain/api';
import {
  GroupKind,
  type GroupVersion,
  type KubernetesObject,
  newInvalid,
  withErrorLimit,
} from '@coxswain/apimachinery';
import type { ApiResponse } from '@coxswain/component-base/http';
import type { AdmissionAttributes } from '../admission/admission.ts';
import type { RequestContext } from '../http/request-context.ts';
import { CreatorFields } from './creator-fields.ts';
import { readObject } from './decode-body.ts';
import { createOptions, isDryRun } from './options.ts';
import { negotiate } from './representation.ts';
import { maxSmallBodyBytes } from './request-body.ts';
import type { VirtualEndpoint } from './resource-router.ts';
import type { EndpointServices } from './scope.ts';
import { operationOptions } from './write-context.ts';
import { encodedResponse } from './write-response.ts';

/** Returns the create endpoint of a review, which is not stored. `answer` is called with the validated object and returns the response. */
export function reviewEndpoint<T extends KubernetesObject>(
  services: EndpointServices,
  kindName: string,
  answer: (review: T, context: RequestContext) => Promise<KubernetesObject>,
): VirtualEndpoint {
  const fields = new CreatorFields(services.now);
  return async (context: RequestContext, groupVersion: GroupVersion): Promise<ApiResponse> => {
    const kind = groupVersion.withKind(kindName);
    const representation = negotiate(context, services.codecs, 'review');
    const options = createOptions(context.query);
    const { fieldValidation } = options;
    const body = await readObject(context, { kind, fieldValidation, maxBytes: maxSmallBodyBytes }, services);
    const { namespace } = context.info;
    if (namespace && !body.metadata?.namespace) body.metadata = { ...body.metadata, namespace };
    const review = fields.own(kind, body, context, options);
    const hub = Catalogue.builtIn().hubOf(kind);
    const attributes: AdmissionAttributes = {
      operation: 'CREATE',
      kind,
      resource: groupVersion.withResource(context.info.resource),
      subresource: '',
      name: review.metadata?.name ?? '',
      namespace,
      object: review,
      dryRun: isDryRun(options),
      user: context.user,
      warn: context.warn,
      annotate: context.annotate,
      options: operationOptions('CREATE', context.query),
      signal: context.request.signal,
      deadline: context.deadline,
      clock: services.clock,
      eventLoop: context.eventLoop,
    };
    await services.admission.admit(attributes);
    if (context.turns) await context.turns.next();
    const { features, now } = services;
    const strategy = strategyFor(hub);
    const errors = withErrorLimit(() => strategy?.validate?.(review, { features, now, user: context.user }) ?? []);
    // As upstream, the error has only the group, not the kind.
    if (errors.length > 0) throw newInvalid(GroupKind.of(hub.group, ''), '', errors);
    await services.admission.validate(attributes);
    const answered = await answer(review as T, context);
    return encodedResponse(201, answered, { ...representation, target: undefined });
  };
}
