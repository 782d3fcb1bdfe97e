import { validateTokenRequest } from '@coxswain/api';
import type { BoundObjectReference, TokenRequest, TokenRequestSpec } from '@coxswain/api/authentication/v1';
import type { Node, Pod, Secret, ServiceAccount } from '@coxswain/api/core/v1';
import {
  GroupKind,
  GroupResource,
  GroupVersionKind,
  invalid,
  isNotFound,
  newBadRequest,
  newConflict,
  newInternalError,
  newInvalid,
  ownEntry,
  Path,
  quote,
  timeFromDate,
} from '@coxswain/apimachinery';
import type { InternalClient } from '../registry/lister.ts';
import type { NewToken, TokenIssuer } from './token-issuer.ts';

const kind = GroupKind.of('authentication.k8s.io', 'TokenRequest');

/**
 * Pods that request exactly this expiration get it from the ServiceAccount admission plugin, and may not renew their token. Such
 * tokens are valid for `extendedExpirationSeconds`, and late uses are recorded.
 */
const warnOnlyExpirationSeconds = 60 * 60 + 7;
const extendedExpirationSeconds = 365 * 24 * 60 * 60;

export interface TokenRequestOptions {
  readonly issuer: TokenIssuer;
  /** Its reads are always fresh, so that tokens can be requested for objects created just before. */
  readonly client: Pick<InternalClient, 'get'>;
  /** `--api-audiences`, or by default the issuers. */
  readonly apiAudiences: readonly string[];
  /** `--service-account-max-token-expiration` */
  readonly maxExpirationSeconds?: number;
  /** `--service-account-extend-token-expiration`. Default true. */
  readonly extendExpiration?: boolean;
  readonly now: () => Date;
}

/** The context of a TokenRequest. */
export interface TokenRequestContext {
  readonly namespace: string;
  /** The name of the service account. */
  readonly name: string;
  readonly warn: (text: string) => void;
  readonly annotate: (key: string, value: string) => void;
  /** Validating admission; throws to refuse. */
  readonly admit?: (request: TokenRequest) => Promise<void>;
}

/**
 * Handles `POST serviceaccounts/NAME/token`: returns the request, completed, with the token in its status. The request must be
 * decoded and defaulted, and its namespace checked against the path. It is modified. Throws upstream's ApiErrors.
 */
export async function createTokenRequest(
  request: TokenRequest,
  context: TokenRequestContext,
  options: TokenRequestOptions,
): Promise<TokenRequest> {
  const { namespace, name } = context;
  const { metadata } = request;
  if (metadata.name && metadata.name !== name)
    throw newInvalid(kind, name, [
      invalid(Path.of('metadata', 'name'), metadata.name, 'must match the service account name if specified'),
    ]);
  const serviceAccount = await options.client.get<ServiceAccount>('', 'serviceaccounts', namespace, name);
  const uid = serviceAccount.metadata.uid ?? '';
  if (metadata.uid && metadata.uid !== uid)
    throw newConflict(
      GroupResource.of(kind.group, kind.kind),
      name,
      `the UID in the token request (${metadata.uid}) does not match the UID of the service account (${uid})`,
    );
  const now = options.now();
  const spec = complete(request, serviceAccount, options.apiAudiences, now);
  const problems = validateTokenRequest(request);
  if (problems.length > 0) throw newInvalid(kind, '', problems);
  await context.admit?.(request);

  const bound = spec.boundObjectRef ? await findBound(spec.boundObjectRef, context, options.client) : {};
  const requested = spec.expirationSeconds ?? 0;
  const max = options.maxExpirationSeconds;
  if (max && requested > max) {
    context.warn(`requested expiration of ${requested} seconds shortened to ${max} seconds`);
    spec.expirationSeconds = max;
  }
  const expirationSeconds = spec.expirationSeconds ?? 0;
  const { token, id } = options.issuer.createToken({
    serviceAccount,
    ...bound,
    audiences: spec.audiences,
    ...(isExtended(expirationSeconds, bound, spec.audiences, options)
      ? { expirationSeconds: extendedExpirationSeconds, warnAfterSeconds: expirationSeconds }
      : { expirationSeconds }),
  });
  request.status = {
    token,
    expirationTimestamp: timeFromDate(new Date(now.getTime() + expirationSeconds * 1000)),
  };
  context.annotate('authentication.kubernetes.io/issued-credential-id', `JTI=${id}`);
  return request;
}

/** Sets default audiences, and overwrites the metadata and status fields that only the server sets. */
function complete(
  request: TokenRequest,
  { metadata }: ServiceAccount,
  apiAudiences: readonly string[],
  now: Date,
): TokenRequestSpec & { audiences: string[] } {
  const audiences = request.spec?.audiences?.length ? request.spec.audiences : [...apiAudiences];
  const spec = { ...request.spec, audiences };
  request.spec = spec;
  request.metadata = {
    ...request.metadata,
    name: metadata.name,
    namespace: metadata.namespace,
    uid: metadata.uid,
    creationTimestamp: timeFromDate(now),
  };
  delete request.status;
  return spec;
}

type Bound = Pick<NewToken, 'pod' | 'secret' | 'node'>;

/** Finds a bound object, by kind. */
const bindable: Readonly<
  Record<
    string,
    (name: string, context: TokenRequestContext, client: Pick<InternalClient, 'get'>) => Promise<[Bound, uid?: string]>
  >
> = {
  Pod: async (name, { namespace, name: serviceAccount }, client) => {
    const pod = await client.get<Pod>('', 'pods', namespace, name);
    if ((pod.spec?.serviceAccountName ?? '') !== serviceAccount)
      throw newBadRequest(
        `cannot bind token for serviceaccount ${quote(serviceAccount)} to pod running with different serviceaccount name.`,
      );
    const nodeName = pod.spec?.nodeName;
    return [{ pod, ...(nodeName && { node: await nodeOf(nodeName, client) }) }, pod.metadata.uid];
  },
  Node: async (name, _, client) => {
    const node = await client.get<Node>('', 'nodes', '', name);
    return [{ node }, node.metadata.uid];
  },
  Secret: async (name, { namespace }, client) => {
    const secret = await client.get<Secret>('', 'secrets', namespace, name);
    return [{ secret }, secret.metadata.uid];
  },
};

/** Returns the node of a pod; only its name when it does not exist. */
async function nodeOf(name: string, client: Pick<InternalClient, 'get'>): Promise<NonNullable<Bound['node']>> {
  try {
    return await client.get<Node>('', 'nodes', '', name);
  } catch (error) {
    if (isNotFound(error)) return { metadata: { name } };
    throw newInternalError(error instanceof Error ? error : String(error));
  }
}

async function findBound(
  { apiVersion = '', kind: kindName = '', name = '', uid }: BoundObjectReference,
  context: TokenRequestContext,
  client: Pick<InternalClient, 'get'>,
): Promise<Bound> {
  const gvk = GroupVersionKind.fromApiVersionAndKind(apiVersion, kindName);
  const find = gvk.group === '' ? ownEntry(bindable, gvk.kind) : undefined;
  if (!find) throw newBadRequest(`cannot bind token to object of type ${gvk}`);
  const [bound, foundUid = ''] = await find(name, context, client);
  if (uid && uid !== foundUid)
    throw newConflict(
      GroupResource.of(gvk.group, gvk.kind),
      name,
      `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    );
  return bound;
}

function isExtended(
  expirationSeconds: number,
  { pod }: Bound,
  audiences: readonly string[],
  { extendExpiration = true, apiAudiences }: TokenRequestOptions,
): boolean {
  return (
    extendExpiration &&
    pod !== undefined &&
    expirationSeconds === warnOnlyExpirationSeconds &&
    audiences.every((audience) => apiAudiences.includes(audience))
  );
}
