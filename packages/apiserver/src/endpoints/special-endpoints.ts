import type { SelfSubjectReview, TokenRequest, TokenReview } from '@coxswain/api/authentication/v1';
import type {
  LocalSubjectAccessReview,
  SelfSubjectAccessReview,
  SelfSubjectRulesReview,
  SubjectAccessReview,
} from '@coxswain/api/authorization/v1';
import type { Binding, Pod } from '@coxswain/api/core/v1';
import type { Eviction } from '@coxswain/api/policy/v1';
import {
  GroupVersionKind,
  type KubernetesObject,
  newBadRequest,
  newNotFound,
  type Status,
} from '@coxswain/apimachinery';
import type { ApiResponse } from '@coxswain/component-base/http';
import { reviewToken, type TokenAuthenticator } from '../authentication/index.ts';
import {
  reviewLocalSubjectAccess,
  reviewSelfSubject,
  reviewSelfSubjectAccess,
  reviewSelfSubjectRules,
  reviewSubjectAccess,
} from '../authorization/index.ts';
import type { RequestContext } from '../http/request-context.ts';
import { createBinding, type EvictionDependencies, evictPod } from '../pods/index.ts';
import { connectSubresources, type ProxyDependencies } from '../proxy/index.ts';
import { createTokenRequest, type TokenRequestOptions } from '../serviceaccount/index.ts';
import { componentStatuses, type HealthOfComponents } from './component-status.ts';
import { CreatorFields } from './creator-fields.ts';
import { readObject } from './decode-body.ts';
import { createOptions, isDryRun } from './options.ts';
import { negotiate } from './representation.ts';
import { maxSmallBodyBytes } from './request-body.ts';
import type { Endpoint, Endpoints, ResourceRouterOptions } from './resource-router.ts';
import type { EndpointServices, ResourceScope } from './scope.ts';
import { reviewEndpoint } from './virtual-resource.ts';
import { admissionAttributes, writeContext } from './write-context.ts';
import { encodedResponse } from './write-response.ts';

export interface SpecialEndpointOptions {
  readonly services: EndpointServices;
  /** The resource `pods` of the core group. */
  readonly pods: () => ResourceScope;
  readonly tokenAuthenticator: TokenAuthenticator;
  readonly apiAudiences: readonly string[];
  /** Undefined when the server has no key to sign tokens with. */
  readonly tokenRequest: TokenRequestOptions | undefined;
  readonly eviction: EvictionDependencies;
  readonly proxy: ProxyDependencies;
  readonly components: HealthOfComponents;
}

/** Returns the endpoints other than plain storage: reviews, bindings, evictions, tokens, and proxies to nodes, pods and services. */
export function specialEndpoints(options: SpecialEndpointOptions): Pick<ResourceRouterOptions, 'virtual' | 'special'> {
  const { services, apiAudiences, tokenAuthenticator, tokenRequest } = options;
  const tokenFields = new CreatorFields(services.now, 'token');
  const { authorizer, now } = services;
  return {
    virtual: {
      // The legacy resource `bindings` binds the pod that the object names; its path names none.
      bindings: { create: (context) => bind(context, options.pods(), '') },
      componentstatuses: componentStatuses(services, options.components),
      'tokenreviews.authentication.k8s.io': {
        create: reviewEndpoint<TokenReview>(services, 'TokenReview', async (review) => ({
          ...review,
          status: await reviewToken(review.spec, tokenAuthenticator, apiAudiences),
        })),
      },
      'selfsubjectreviews.authentication.k8s.io': {
        create: reviewEndpoint<SelfSubjectReview>(services, 'SelfSubjectReview', async (_, { user }) =>
          reviewSelfSubject(user, now),
        ),
      },
      'subjectaccessreviews.authorization.k8s.io': {
        create: reviewEndpoint<SubjectAccessReview>(services, 'SubjectAccessReview', (review) =>
          reviewSubjectAccess(review, authorizer),
        ),
      },
      'localsubjectaccessreviews.authorization.k8s.io': {
        create: reviewEndpoint<LocalSubjectAccessReview>(services, 'LocalSubjectAccessReview', (review, { info }) =>
          reviewLocalSubjectAccess(review, info.namespace, authorizer),
        ),
      },
      'selfsubjectaccessreviews.authorization.k8s.io': {
        create: reviewEndpoint<SelfSubjectAccessReview>(services, 'SelfSubjectAccessReview', (review, { user }) =>
          reviewSelfSubjectAccess(review, user, authorizer),
        ),
      },
      'selfsubjectrulesreviews.authorization.k8s.io': {
        create: reviewEndpoint<SelfSubjectRulesReview>(services, 'SelfSubjectRulesReview', (review, { user }) =>
          reviewSelfSubjectRules(review, user, authorizer),
        ),
      },
    },
    special: {
      'pods/binding': { create: (context, scope) => bind(context, scope, context.info.name) },
      'pods/eviction': { create: (context, scope) => evict(context, scope, options.eviction) },
      'serviceaccounts/token': {
        create: (context, scope) => issueToken(context, scope, { options: tokenRequest, fields: tokenFields }),
      },
      ...connectEndpoints(options.proxy),
    },
  };
}

const done: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };
const bindingKind = GroupVersionKind.of('', 'v1', 'Binding');
const evictionKind = GroupVersionKind.of('policy', 'v1', 'Eviction');
const formerEvictionKind = GroupVersionKind.of('policy', 'v1beta1', 'Eviction');
const tokenRequestKind = GroupVersionKind.of('authentication.k8s.io', 'v1', 'TokenRequest');

/** Reads the object in a POST to a subresource. Throws BadRequest when its namespace is not that of the path. */
async function readPart(
  context: RequestContext,
  kind: GroupVersionKind,
  services: EndpointServices,
  formerly?: GroupVersionKind,
): Promise<{ object: KubernetesObject; dryRun: boolean }> {
  const options = createOptions(context.query);
  const { fieldValidation } = options;
  const body = { kind, fieldValidation, maxBytes: maxSmallBodyBytes, ...(formerly && { formerly }) };
  const object = await readObject(context, body, services);
  const { namespace } = context.info;
  const given = object.metadata?.namespace ?? '';
  if (given !== '' && given !== namespace)
    throw newBadRequest('the namespace of the provided object does not match the namespace sent on the request');
  const { apiVersion } = kind;
  return { object: { ...object, apiVersion, metadata: { ...object.metadata, namespace } }, dryRun: isDryRun(options) };
}

/** Runs mutating admission for a POST to a subresource. Returns a function that runs validating admission later. */
async function admitPart(
  context: RequestContext,
  scope: ResourceScope,
  kind: GroupVersionKind,
  object: KubernetesObject,
  dryRun: boolean,
): Promise<() => Promise<void>> {
  const { admission } = scope.services;
  const { info } = context;
  const name = info.name || (object.metadata?.name ?? '');
  // For the legacy resource `bindings`, this differs from the resource of the scope, which is pods.
  const resource = scope.resource.groupVersion.withResource(info.resource);
  const attributes = admissionAttributes(context, scope, 'CREATE', { object, dryRun, name, kind, resource });
  await admission.admit(attributes);
  return () => admission.validate(attributes);
}

async function bind(context: RequestContext, scope: ResourceScope, podName: string): Promise<ApiResponse> {
  const { services, registry } = scope;
  const representation = negotiate(context, services.codecs);
  const { object, dryRun } = await readPart(context, bindingKind, services);
  const binding = object as Binding;
  const { namespace } = context.info;
  const name = podName || (binding.metadata.name ?? '');
  const validate = await admitPart(context, scope, bindingKind, binding, dryRun);
  await createBinding({
    name,
    binding,
    features: services.features,
    now: services.now,
    storageKey: registry.keys.key(namespace, name),
    validate,
    update: (change) =>
      registry.update({
        namespace,
        name,
        asIs: true,
        context: writeContext(context, scope, dryRun),
        change: async (current) => {
          if (!current) throw newNotFound(scope.groupResource, name);
          return change(current as Pod);
        },
      }),
  });
  return { ...encodedResponse(201, done, { ...representation, target: undefined }) };
}

async function evict(
  context: RequestContext,
  scope: ResourceScope,
  dependencies: EvictionDependencies,
): Promise<ApiResponse> {
  const { services } = scope;
  const representation = negotiate(context, services.codecs);
  const { object, dryRun } = await readPart(context, evictionKind, services, formerEvictionKind);
  const validate = await admitPart(context, scope, evictionKind, object, dryRun);
  const { namespace, name } = context.info;
  await evictPod(dependencies, {
    namespace,
    name,
    eviction: object as Eviction,
    ...(dryRun && { dryRun: ['All'] }),
    validate,
  });
  return encodedResponse(201, done, { ...representation, target: undefined });
}

async function issueToken(
  context: RequestContext,
  scope: ResourceScope,
  { options, fields }: { readonly options: TokenRequestOptions | undefined; readonly fields: CreatorFields },
): Promise<ApiResponse> {
  if (!options) throw newNotFound(scope.groupResource, context.info.name);
  const { services } = scope;
  const representation = negotiate(context, services.codecs);
  const { object: body, dryRun } = await readPart(context, tokenRequestKind, services);
  const object = fields.own(tokenRequestKind, body, context, createOptions(context.query));
  const validate = await admitPart(context, scope, tokenRequestKind, object, dryRun);
  const { namespace, name } = context.info;
  const { warn, annotate } = context;
  const issued = await createTokenRequest(
    object as TokenRequest,
    { namespace, name, warn, annotate, admit: validate },
    options,
  );
  return encodedResponse(201, issued, { ...representation, target: undefined });
}

function connectEndpoints(proxy: ProxyDependencies): Record<string, Endpoints> {
  const endpoints: Record<string, Endpoints> = {};
  for (const [key, subresource] of connectSubresources) {
    const connect: Endpoint = async (context, scope) => {
      const { admission } = scope.services;
      await scope.registry.ready();
      const pending = subresource.begin(context);
      // For admission, reading logs is a get, not a CONNECT.
      if (key !== 'pods/log' && admission.handles('CONNECT')) {
        const { options } = pending;
        const kind = GroupVersionKind.of('', 'v1', options.kind ?? '');
        const attributes = admissionAttributes(context, scope, 'CONNECT', { object: options, dryRun: false, kind });
        await admission.admit(attributes);
        await admission.validate(attributes);
      }
      return pending.connect(proxy);
    };
    endpoints[key] = { '*': connect };
  }
  return endpoints;
}
