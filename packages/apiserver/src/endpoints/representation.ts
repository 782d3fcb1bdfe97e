import {
  type AcceptedMediaType,
  type CodecFactory,
  type EndpointRestrictions,
  type GroupVersionKind,
  newBadRequest,
  newNotAcceptable,
  type Serializer,
  type StreamSerializer,
  validateTableOptions,
  wantsPretty,
} from '@coxswain/apimachinery';
import { headerOf } from '@coxswain/component-base/http';
import type { RequestContext } from '../http/request-context.ts';
import type { ResourceScope } from './scope.ts';

/** The negotiated form of a response. */
export interface Representation<S extends Serializer = Serializer> {
  readonly serializer: S;
  readonly pretty: boolean;
  /** The kind that is sent instead of the object itself. */
  readonly target: 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList' | undefined;
  /** The group version of the target, such as `meta.k8s.io/v1`. */
  readonly targetVersion: string;
  /** The part of each object that a Table's rows contain. */
  readonly includeObject: 'None' | 'Metadata' | 'Object';
  /** A cache key for encoded objects: equal representations, apart from `pretty`, have equal names. */
  readonly name: string;
}

const targets: ReadonlySet<string> = new Set(['Table', 'PartialObjectMetadata', 'PartialObjectMetadataList']);

const restrictions: EndpointRestrictions = {
  allowsTransform(mediaType, target) {
    if (!target) return true;
    if (target.group !== 'meta.k8s.io' || (target.version !== 'v1' && target.version !== 'v1beta1')) return false;
    if (target.kind === 'Table') return mediaType === 'application/json' || mediaType === 'application/yaml';
    return targets.has(target.kind);
  },
  allowsStream: (schema) => schema === 'watch',
};

/** For reviews, which have no Table. */
const withoutTable: EndpointRestrictions = {
  ...restrictions,
  allowsTransform: (mediaType, target) => target?.kind !== 'Table' && restrictions.allowsTransform(mediaType, target),
};

/** Custom resources have no protobuf encoding, but their PartialObjectMetadata has. */
const custom: EndpointRestrictions = {
  ...restrictions,
  allowsTransform: (mediaType, target) =>
    target ? restrictions.allowsTransform(mediaType, target) : mediaType !== 'application/vnd.kubernetes.protobuf',
};

/** The sort of object in the response. It decides which representations are allowed. */
export type Output = 'object' | 'custom' | 'review';
const restrictionsOf: Readonly<Record<Output, EndpointRestrictions>> = {
  object: restrictions,
  custom,
  review: withoutTable,
};

export const outputOf = ({ custom: type }: ResourceScope): Output => (type ? 'custom' : 'object');

/** Returns the representation that the Accept header prefers. Throws NotAcceptable, or BadRequest for invalid Table options. */
export function negotiate(context: RequestContext, codecs: CodecFactory, output: Output = 'object'): Representation {
  const negotiated = codecs.forOutput(headerOf(context.request, 'accept'), restrictionsOf[output]);
  if (!negotiated.accepted) throw newNotAcceptable(negotiated.supported);
  return representation(context, negotiated);
}

/** Like `negotiate`, for a stream of watch events. */
export function negotiateWatch(
  context: RequestContext,
  codecs: CodecFactory,
  output: Output,
): Representation<StreamSerializer> {
  // As upstream, the Accept header must also match for a single object.
  negotiate(context, codecs, output);
  const negotiated = codecs.forStream(headerOf(context.request, 'accept'), restrictionsOf[output]);
  if (!negotiated.accepted) throw newNotAcceptable(negotiated.supported);
  return representation(context, negotiated);
}

function representation<S extends Serializer>(
  { query, request }: RequestContext,
  { accepted, convert, pretty }: AcceptedMediaType<S>,
): Representation<S> {
  const target = targetOf(convert);
  const includeObject = target === 'Table' ? readIncludeObject(query) : 'Metadata';
  const indented = pretty || wantsPretty(query.get('pretty') ?? undefined, headerOf(request, 'user-agent'));
  return {
    serializer: accepted,
    pretty: indented,
    target,
    targetVersion: convert ? convert.apiVersion : '',
    includeObject,
    name: `${accepted.mediaType} ${target ?? ''} ${convert?.version ?? ''} ${includeObject}`,
  };
}

function targetOf(convert: GroupVersionKind | undefined): Representation['target'] {
  switch (convert?.kind) {
    case 'Table':
    case 'PartialObjectMetadata':
    case 'PartialObjectMetadataList':
      return convert.kind;
    default:
      return undefined;
  }
}

function readIncludeObject(query: URLSearchParams): Representation['includeObject'] {
  const includeObject = query.get('includeObject') ?? '';
  const [error] = validateTableOptions({ includeObject });
  if (error) throw newBadRequest(`Unable to convert to Table as requested: ${String(error)}`);
  return includeObject === 'None' || includeObject === 'Object' ? includeObject : 'Metadata';
}
