import { validateNamespaceName, validateServiceAccountName } from '@coxswain/apimachinery';
import {
  add,
  type CostEstimate,
  fixed,
  LIST_CREATE_BASE_COST,
  multiplyByFactor,
  type SizeEstimate,
  STRING_TRAVERSAL_COST_FACTOR,
  STRUCT_CREATE_BASE_COST,
} from '../checking/cost-estimate.ts';
import {
  asyncOverload,
  type CallCost,
  type FunctionDeclaration,
  type Library,
} from '../checking/function-declaration.ts';
import { costSize } from '../values/runtime-type.ts';
import { BOOL, type CelType, STRING } from '../values/types.ts';
import { CelError, type CelValue } from '../values/values.ts';
import {
  AUTHORIZER,
  type AuthorizerValue,
  DECISION,
  type DecisionValue,
  GROUP_CHECK,
  GroupCheck,
  PATH_CHECK,
  PathCheck,
  RESOURCE_CHECK,
  ResourceCheck,
  type ResourceCheckAttributes,
} from './authorizer-values.ts';
import { argument, estimateNominalEquality, fixedCost, nominalCost } from './call-cost.ts';
import { method } from './declare.ts';

/** The cost of a check: no more than two fit into the cost limit of an evaluation. */
const checkCost = fixedCost(350_000);

const check = <T extends CelValue & { check(verb: string): Promise<DecisionValue> }>(
  id: string,
  type: CelType<T>,
): FunctionDeclaration => ({
  name: 'check',
  overloads: [
    asyncOverload<readonly [CelType, CelType<string>]>({
      id,
      isMember: true,
      parameters: [type, STRING],
      result: DECISION,
      cost: checkCost,
      call: (target, verb) => (target as T).check(verb),
    }),
  ],
});

/** Declares a function that sets an attribute of a resource check. */
const narrowing = (
  name: keyof ResourceCheckAttributes,
  id: string,
  cost: CallCost = nominalCost,
): FunctionDeclaration =>
  method(name, {
    id,
    parameters: [RESOURCE_CHECK, STRING],
    result: RESOURCE_CHECK,
    cost,
    call: (target, value) => target.with({ [name]: value }),
  });

const decisionAccessor = (
  name: 'allowed' | 'reason' | 'error' | 'errored',
  result: CelType,
  call: (decision: DecisionValue) => CelValue,
): FunctionDeclaration =>
  method(name, { id: `decision_${name}`, parameters: [DECISION], result, cost: nominalCost, call });

/** Returns the value. Throws CelError when it is empty or only whitespace. */
function notEmpty(name: string, value: string): string {
  if (value.trim() === '') throw new CelError(`${name} must not be empty`);
  return value;
}

function asServiceAccount(target: AuthorizerValue, namespace: string, name: string): AuthorizerValue {
  if (validateServiceAccountName(name, false).length > 0) throw new CelError('Invalid service account name');
  if (validateNamespaceName(namespace, false).length > 0) throw new CelError('Invalid service account namespace');
  return target.asServiceAccount(namespace, name);
}

/** Access checks: `authorizer.group('apps').resource('deployments').check('create').allowed()`. */
export const authorizerLibrary: Library = {
  name: 'kubernetes.authz',
  estimateEquality: estimateNominalEquality(AUTHORIZER, PATH_CHECK, GROUP_CHECK, RESOURCE_CHECK, DECISION),
  functions: [
    method('path', {
      id: 'authorizer_path',
      parameters: [AUTHORIZER, STRING],
      result: PATH_CHECK,
      cost: nominalCost,
      call: (target, path) => new PathCheck(target, notEmpty('path', path)),
    }),
    method('group', {
      id: 'authorizer_group',
      parameters: [AUTHORIZER, STRING],
      result: GROUP_CHECK,
      cost: nominalCost,
      call: (target, group) => new GroupCheck(target, group),
    }),
    method('serviceAccount', {
      id: 'authorizer_serviceaccount',
      parameters: [AUTHORIZER, STRING, STRING],
      result: AUTHORIZER,
      cost: nominalCost,
      call: asServiceAccount,
    }),
    method('resource', {
      id: 'groupcheck_resource',
      parameters: [GROUP_CHECK, STRING],
      result: RESOURCE_CHECK,
      cost: nominalCost,
      call: ({ authorizer, group }, resource) =>
        new ResourceCheck(authorizer, { group, resource: notEmpty('resource', resource) }),
    }),
    narrowing('subresource', 'resourcecheck_subresource'),
    narrowing('namespace', 'resourcecheck_namespace'),
    narrowing('name', 'resourcecheck_name'),
    check('pathcheck_check', PATH_CHECK),
    check('resourcecheck_check', RESOURCE_CHECK),
    decisionAccessor('errored', BOOL, ({ error }) => error !== undefined),
    decisionAccessor('error', STRING, ({ error }) => error ?? ''),
    decisionAccessor('allowed', BOOL, ({ allowed }) => allowed),
    decisionAccessor('reason', STRING, ({ reason }) => reason),
  ],
};

/** The number of requirements per character: the shortest requirement that is allocated has two characters. */
const requirementsPerCharacter = 0.5;

function selectorCost(size: SizeEstimate): CostEstimate {
  const requirements = multiplyByFactor(size, requirementsPerCharacter);
  return add(
    add(fixed(LIST_CREATE_BASE_COST), multiplyByFactor(size, STRING_TRAVERSAL_COST_FACTOR)),
    multiplyByFactor(requirements, LIST_CREATE_BASE_COST + STRUCT_CREATE_BASE_COST),
  );
}

const parsingCost: CallCost = {
  estimate: (call) => ({ cost: selectorCost(call.sizeOf(argument(call, 1))) }),
  actual: ([, selector]) => selectorCost(fixed(costSize(selector!))).max,
};

/** `fieldSelector()` and `labelSelector()` of a check. */
export const authorizerSelectorsLibrary: Library = {
  name: 'kubernetes.authzSelectors',
  functions: [
    narrowing('fieldSelector', 'authorizer_fieldselector', parsingCost),
    narrowing('labelSelector', 'authorizer_labelselector', parsingCost),
  ],
};
