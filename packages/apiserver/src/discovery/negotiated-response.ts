import {
  type EndpointRestrictions,
  negotiateOutput,
  newNotAcceptable,
  type Serializer,
  wantsPretty,
} from '@coxswain/apimachinery';
import type { ApiResponse } from '@coxswain/component-base/http';
import { headerOf } from '@coxswain/component-base/http';
import type { RequestContext } from '../http/request-context.ts';

/** Writes objects in one format. */
export type OutputSerializer = Pick<Serializer, 'mediaType' | 'streams' | 'encode'>;

/** Answers with the object in the form that the client accepts best. Throws NotAcceptable when there is none. */
export function negotiatedResponse(
  context: RequestContext,
  serializers: readonly OutputSerializer[],
  object: Record<string, unknown>,
  restrictions?: EndpointRestrictions,
): ApiResponse {
  const chosen = negotiateOutput(headerOf(context.request, 'accept'), serializers, restrictions);
  if (!chosen.accepted) throw newNotAcceptable(chosen.supported);
  const { accepted, pretty, convert } = chosen;
  const forPeople =
    pretty || wantsPretty(context.query.get('pretty') ?? undefined, headerOf(context.request, 'user-agent'));
  const parameters = convert ? `;g=${convert.group};v=${convert.version};as=${convert.kind}` : '';
  return {
    status: 200,
    headers: { 'content-type': accepted.mediaType + parameters },
    body: accepted.encode(object, { pretty: forPeople }),
  };
}
