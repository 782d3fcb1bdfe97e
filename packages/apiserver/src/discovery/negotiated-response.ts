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

/** Encodes objects in one format. */
export type OutputSerializer = Pick<Serializer, 'mediaType' | 'streams' | 'encode'>;

/** Returns a 200 response with the object encoded as the Accept header prefers. Throws NotAcceptable when no serializer matches. */
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
