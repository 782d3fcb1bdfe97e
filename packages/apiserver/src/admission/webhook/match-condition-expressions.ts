import type { MatchCondition } from '@coxswain/api/admissionregistration/v1';
import type { Authorizer } from '../../authorization/index.ts';
import {
  BOOL,
  CelCompileError,
  CelEnvironment,
  type CelType,
  type CelValue,
  DYN,
  fromJson,
  listOf,
  mapOf,
  objectType,
  type Program,
  STRING,
  sameType,
} from '../../cel/index.ts';
import {
  AUTHORIZER,
  AuthorizerValue,
  kubernetesLibraries,
  RESOURCE_CHECK,
  ResourceCheck,
} from '../../cel/library/index.ts';
import type { MatchConditionInput } from './match-conditions.ts';

/** What all conditions of one webhook may cost together. */
const costBudget = 2_500_000;

const struct = (name: string, fields: Readonly<Record<string, CelType>>): CelType => {
  const types = new Map(Object.entries(fields));
  return objectType(`kubernetes.${name}`, { field: (field) => types.get(field) });
};

const kindType = struct('GroupVersionKind', { group: STRING, version: STRING, kind: STRING });
const resourceType = struct('GroupVersionResource', { group: STRING, version: STRING, resource: STRING });
const requestType = struct('AdmissionRequest', {
  kind: kindType,
  resource: resourceType,
  subResource: STRING,
  requestKind: kindType,
  requestResource: resourceType,
  requestSubResource: STRING,
  name: STRING,
  namespace: STRING,
  operation: STRING,
  userInfo: struct('UserInfo', {
    username: STRING,
    uid: STRING,
    groups: listOf(STRING),
    extra: mapOf(STRING, listOf(STRING)),
  }),
  dryRun: BOOL,
  options: DYN,
});

const environment = new CelEnvironment({
  libraries: kubernetesLibraries,
  variables: {
    object: DYN,
    oldObject: DYN,
    // Declared by upstream, and never there.
    namespaceObject: DYN,
    request: requestType,
    authorizer: AUTHORIZER,
    'authorizer.requestResource': RESOURCE_CHECK,
  },
});

/** A condition ready to be asked, or why it never will be. */
interface Expression {
  readonly text: string;
  readonly program: Program | Error;
}

export const compileExpressions = (conditions: readonly MatchCondition[]): Expression[] =>
  conditions.map(({ expression: text }) => ({ text, program: compile(text) }));

/** Why an expression can be no condition, in upstream's words; undefined when it can. */
export function expressionProblem(text: string): string | undefined {
  const program = compile(text);
  return program instanceof Error ? program.message.slice(compilationError.length) : undefined;
}

const compilationError = 'compilation error: ';

function compile(text: string): Program | Error {
  try {
    const compiled = environment.compile(text);
    if (sameType(compiled.type, BOOL)) return compiled.program();
    return new Error(`${compilationError}must evaluate to bool but got ${String(compiled.type)}`);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    const what = cause instanceof CelCompileError ? 'compilation failed' : 'program instantiation failed';
    return new Error(`${compilationError}${what}: ${message}`, { cause });
  }
}

/** Asks all of them, in order. */
export async function evaluateExpressions(
  expressions: readonly Expression[],
  input: MatchConditionInput,
  authorizer: Authorizer,
): Promise<(boolean | Error)[]> {
  const { signal } = input.attributes;
  const bindings = bindingsOf(input, authorizer);
  const results: (boolean | Error)[] = [];
  let budget = costBudget;
  for (const { text, program } of expressions) {
    if (program instanceof Error) {
      results.push(program);
      continue;
    }
    const { value, error, cost } = await program.evaluateAsync(bindings, signal && { signal });
    budget -= cost;
    if (budget < 0)
      return [
        new Error('validation failed due to running out of cost budget, no further validation rules will be run'),
      ];
    results.push(error ? new Error(`expression '${text}' resulted in error: ${error.message}`) : value === true);
  }
  return results;
}

function bindingsOf(input: MatchConditionInput, authorizer: Authorizer): Map<string, CelValue> {
  const { object, oldObject, request, attributes } = input;
  const { resource, subresource, namespace, name, user } = attributes;
  const asking = new AuthorizerValue(user, authorizer);
  return new Map<string, CelValue>([
    ['object', fromJson(object ?? null)],
    ['oldObject', fromJson(oldObject ?? null)],
    ['namespaceObject', null],
    ['request', fromJson(request)],
    ['authorizer', asking],
    [
      'authorizer.requestResource',
      new ResourceCheck(asking, { group: resource.group, resource: resource.resource, subresource, namespace, name }),
    ],
  ]);
}
