import {
  compileNormalizer,
  GroupVersion,
  GroupVersionKind,
  type GroupVersionResource,
  isJsonObject,
  jsonKind,
  quote,
  type Status,
} from '@coxswain/apimachinery';
import type { EquivalentResource } from '../../registry/equivalent-resource.ts';
import type { AdmissionAttributes } from '../admission.ts';
import { admissionReviewSchema } from './admission-review-schema.ts';
import type { VersionedObjects } from './versioned-objects.ts';

const group = 'admission.k8s.io';
const versions = ['v1', 'v1beta1'] as const;
export type ReviewVersion = (typeof versions)[number];

/** Returns the first supported version of a webhook; undefined when there is none. */
export const reviewVersion = (accepted: readonly string[]): ReviewVersion | undefined =>
  accepted.find((version): version is ReviewVersion => version === 'v1' || version === 'v1beta1');

const kindOf = ({ group, version, kind }: GroupVersionKind) => ({ group, version, kind });
const resourceOf = ({ group, version, resource }: GroupVersionResource) => ({ group, version, resource });

/** Returns the request of an AdmissionReview in upstream's field order, without the objects. */
export function admissionRequest(
  attributes: AdmissionAttributes,
  { resource, kind }: EquivalentResource,
): Record<string, unknown> {
  const { subresource, name, namespace, operation, user, dryRun, options } = attributes;
  return {
    kind: kindOf(kind),
    resource: resourceOf(resource),
    ...(subresource && { subResource: subresource }),
    requestKind: kindOf(attributes.kind),
    requestResource: resourceOf(attributes.resource),
    ...(subresource && { requestSubResource: subresource }),
    ...(name && { name }),
    ...(namespace && { namespace }),
    operation,
    userInfo: userInfo(user),
    dryRun,
    options: options ?? null,
  };
}

function userInfo({ username, uid, groups = [], extra = {} }: AdmissionAttributes['user']): Record<string, unknown> {
  return {
    ...(username && { username }),
    ...(uid && { uid }),
    ...(groups.length > 0 && { groups }),
    ...(Object.keys(extra).length > 0 && { extra }),
  };
}

/** Returns the AdmissionReview to send. */
export function admissionReview(
  version: ReviewVersion,
  uid: string,
  request: Readonly<Record<string, unknown>>,
  { object, oldObject }: VersionedObjects,
): Record<string, unknown> {
  const { dryRun, options, ...about } = request;
  return {
    kind: 'AdmissionReview',
    apiVersion: `${group}/${version}`,
    request: { uid, ...about, object: object ?? null, oldObject: oldObject ?? null, dryRun, options },
  };
}

/** The validated response of a webhook. */
export interface AdmissionResponse {
  readonly allowed: boolean;
  readonly status?: Status;
  /** JSON; empty without a patch. */
  readonly patch: Buffer;
  readonly patchType: string;
  readonly auditAnnotations?: Readonly<Record<string, string>>;
  readonly warnings?: readonly string[];
}

interface RawResponse {
  readonly uid?: string;
  readonly allowed?: boolean;
  readonly status?: Status;
  readonly patch?: string;
  readonly patchType?: string;
  readonly auditAnnotations?: Readonly<Record<string, string>>;
  readonly warnings?: readonly string[];
}

/** A response that was received but is invalid. */
export class InvalidResponseError extends Error {}

/**
 * Reads an AdmissionReview with a response. Throws an Error when it is not an AdmissionReview, and an
 * InvalidResponseError when its response is invalid.
 */
export function readAdmissionResponse(
  answer: unknown,
  { version, uid, mutating }: { readonly version: ReviewVersion; readonly uid: string; readonly mutating: boolean },
): AdmissionResponse {
  const { response, stated } = decode(answer, version);
  if (!response) throw new InvalidResponseError('webhook response was absent');
  const { allowed = false, status, auditAnnotations, warnings } = response;
  const result = {
    allowed,
    ...(status && { status }),
    ...(auditAnnotations && { auditAnnotations }),
    ...(warnings && { warnings }),
  };
  const patch = Buffer.from(response.patch ?? '', 'base64');
  if (version === 'v1beta1')
    return mutating && patch.length > 0
      ? { ...result, patch, patchType: 'JSONPatch' }
      : { ...result, patch: Buffer.alloc(0), patchType: '' };
  const problem = v1Problem(response, stated, patch.length, uid, mutating);
  if (problem) throw new InvalidResponseError(problem);
  return { ...result, patch, patchType: response.patchType ?? '' };
}

function v1Problem(
  { uid = '', patchType }: RawResponse,
  stated: string,
  patchLength: number,
  expectedUid: string,
  mutating: boolean,
): string | undefined {
  if (uid !== expectedUid) return `expected response.uid=${quote(expectedUid)}, got ${quote(uid)}`;
  const expected = `${group}/v1, Kind=AdmissionReview`;
  if (stated !== expected) return `expected webhook response of ${expected}, got ${stated}`;
  if (!mutating) {
    if (patchLength > 0) return 'validating webhook may not return response.patch';
    return patchType === undefined ? undefined : 'validating webhook may not return response.patchType';
  }
  if (patchLength > 0 && patchType === undefined) return 'webhook returned response.patch but not response.patchType';
  if (patchLength === 0 && patchType !== undefined) return 'webhook returned response.patchType but not response.patch';
  return patchType === '' ? 'webhook returned invalid response.patchType of ""' : undefined;
}

function decode(answer: unknown, version: ReviewVersion): { response?: RawResponse; stated: string } {
  if (answer !== null && !isJsonObject(answer))
    throw new Error(
      `couldn't get version/kind; json parse error: json: cannot unmarshal ${jsonKind(answer)} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
    );
  const { apiVersion = '', kind = '' } = answer ?? {};
  const wanted = GroupVersionKind.of(group, version, 'AdmissionReview');
  const stated = GroupVersion.parse(String(apiVersion)).withKind(String(kind));
  const found = GroupVersion.parse(String(apiVersion || wanted.apiVersion)).withKind(String(kind || wanted.kind));
  if (found !== wanted) {
    const { kind: name, version: other } = found;
    throw new Error(
      knownKinds.has(`${found.apiVersion} ${name}`)
        ? `converting (${other}.${name}) to (${version}.AdmissionReview): unknown conversion`
        : `no kind ${quote(name)} is registered for version ${quote(found.apiVersion)} in scheme "pkg/runtime/scheme.go:111"`,
    );
  }
  const { object } = compileNormalizer(admissionReviewSchema())(answer ?? {});
  return {
    ...(isJsonObject(object.response) && { response: object.response as RawResponse }),
    stated: `${stated.group}/${stated.version}, Kind=${stated.kind}`,
  };
}

/** Kinds that upstream's client can decode, although they are not valid responses. */
const knownKinds: ReadonlySet<string> = new Set([
  'v1 Status',
  ...versions.map((version) => `${group}/${version} AdmissionReview`),
]);
