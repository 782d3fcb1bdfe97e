import type { UserInfo } from '@coxswain/api';
import type { ParamKind, ParamRef } from '@coxswain/api/admissionregistration/v1';
import {
  forbidden,
  GroupVersion,
  type GroupVersionKind,
  jsonEquals,
  type KubernetesObject,
  newInvalid,
  Path,
} from '@coxswain/apimachinery';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts';
import { findObject } from '../find-object.ts';
import type { AdmissionContext } from '../plugin-context.ts';

const group = 'admissionregistration.k8s.io';

interface ParamAuthorizationOptions {
  readonly context: Pick<AdmissionContext, 'listers' | 'client' | 'authorizer'>;
  /** Returns the resource of a kind; undefined when it is not served. */
  readonly resourceFor: (kind: GroupVersionKind) => string | undefined;
}

interface PolicySpec {
  readonly paramKind?: ParamKind;
}
interface BindingSpec {
  readonly policyName?: string;
  readonly paramRef?: ParamRef;
}

/**
 * Requires permission to read the parameters of a policy or binding that a user writes, since the messages of the
 * policy could expose them. Upstream does this in the storage of these resources, where no flag disables it. So this
 * plug-in has no name for the flags.
 */
export function paramAuthorization(options: ParamAuthorizationOptions): AdmissionPlugin {
  return {
    name: '',
    operations: ['CREATE', 'UPDATE'],
    resources: ['validating', 'mutating'].flatMap((sort) => [
      `${sort}admissionpolicies.${group}`,
      `${sort}admissionpolicybindings.${group}`,
    ]),
    async validate(attributes) {
      const { user, kind, name, resource } = attributes;
      if (user.groups?.includes('system:masters')) return;
      const isBinding = resource.resource.endsWith('bindings');
      const problem = await (isBinding ? bindingProblem : policyProblem)(attributes, options);
      if (problem === undefined) return;
      const path = Path.of('spec').child(isBinding ? 'paramRef' : 'paramKind');
      throw newInvalid(kind.groupKind, name, [forbidden(path, problem)]);
    },
  };
}

const specOf = (object: KubernetesObject | undefined): PolicySpec & BindingSpec =>
  (object as { readonly spec?: PolicySpec & BindingSpec } | undefined)?.spec ?? {};

async function policyProblem(
  { object, oldObject, user }: AdmissionAttributes,
  { context, resourceFor }: ParamAuthorizationOptions,
): Promise<string | undefined> {
  const { paramKind } = specOf(object);
  if (!paramKind || jsonEquals(paramKind, specOf(oldObject).paramKind)) return undefined;
  const resource = resourceOf(paramKind, resourceFor);
  if (await mayRead(context, user, 'get', { ...resource, namespace: '*', name: '*' })) return undefined;
  return `user ${shownUser(user)} must have "get" permission on all objects of the referenced paramKind (kind=${paramKind.kind}, apiVersion=${paramKind.apiVersion})`;
}

async function bindingProblem(
  { object, oldObject, user, resource: { resource: plural } }: AdmissionAttributes,
  { context, resourceFor }: ParamAuthorizationOptions,
): Promise<string | undefined> {
  const { paramRef, policyName = '' } = specOf(object);
  const old = specOf(oldObject);
  if (!paramRef || (jsonEquals(paramRef, old.paramRef) && policyName === old.policyName)) return undefined;
  const policies = plural.replace('policybindings', 'policies');
  const policy = await findObject<KubernetesObject>(context, group, policies, '', policyName);
  const { paramKind } = specOf(policy);
  const resource = paramKind ? resourceOf(paramKind, resourceFor) : anyResource;
  const verb = paramRef.name ? 'get' : 'list';
  const { name = '', namespace = '' } = paramRef;
  if (await mayRead(context, user, verb, { ...resource, namespace, name })) return undefined;
  const lacking = `user ${shownUser(user)} does not have "${verb}" permission`;
  const everything = 'for all groups, versions and resources';
  if (!policy)
    return `unable to get policy ${policyName} to determine minimum required permissions and ${lacking} ${everything}`;
  if (paramKind && resource.resource === '*')
    return `unable to resolve paramKind &{${paramKind.apiVersion} ${paramKind.kind}} to determine minimum required permissions and ${lacking} ${everything}`;
  // Upstream swaps the two for mutating policies.
  return plural.startsWith('mutating')
    ? `user ${verb} does not have "${shownUser(user)}" permission on the object referenced by paramRef`
    : `${lacking} on the object referenced by paramRef`;
}

const anyResource = { apiGroup: '*', apiVersion: '*', resource: '*' };

function resourceOf(
  { apiVersion = '', kind = '' }: ParamKind,
  resourceFor: ParamAuthorizationOptions['resourceFor'],
): typeof anyResource {
  const groupVersion = GroupVersion.parse(apiVersion);
  const resource = resourceFor(groupVersion.withKind(kind)) ?? '*';
  return { apiGroup: groupVersion.group, apiVersion: groupVersion.version, resource };
}

async function mayRead(
  { authorizer }: ParamAuthorizationOptions['context'],
  user: UserInfo,
  verb: string,
  what: typeof anyResource & { readonly namespace: string; readonly name: string },
): Promise<boolean> {
  const asked = { user, verb, resourceRequest: true, subresource: '', path: '', ...what };
  const { decision } = await authorizer.authorize(asked);
  return decision === 'allow';
}

/** The user as upstream formats it. */
function shownUser({ username, uid = '', groups = [], extra = {} }: UserInfo): string {
  const more = Object.keys(extra)
    .sort()
    .map((key) => `${key}:[${(extra[key] ?? []).join(' ')}]`);
  return `&{${username} ${uid} [${groups.join(' ')}] map[${more.join(' ')}]}`;
}
