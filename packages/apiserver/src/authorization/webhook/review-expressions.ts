import type { SubjectAccessReviewSpec } from '@coxswain/api/authorization/v1';
import {
  BOOL,
  CelCompileError,
  CelEnvironment,
  type CelType,
  fromJson,
  listOf,
  mapOf,
  objectType,
  type Program,
  STRING,
  sameType,
} from '@coxswain/cel';
import { kubernetesLibraries } from '@coxswain/cel/library';
import { aggregateMessage } from '@coxswain/component-base/authorization';

const struct = (name: string, fields: Readonly<Record<string, CelType>>): CelType => {
  const types = new Map(Object.entries(fields));
  return objectType(`kubernetes.${name}`, { field: (field) => types.get(field) });
};
const requirement = struct('SelectorRequirement', { key: STRING, operator: STRING, values: listOf(STRING) });
const selector = { rawSelector: STRING, requirements: listOf(requirement) };
const environment = new CelEnvironment({
  libraries: kubernetesLibraries,
  variables: {
    request: struct('SubjectAccessReviewSpec', {
      resourceAttributes: struct('ResourceAttributes', {
        namespace: STRING,
        verb: STRING,
        group: STRING,
        version: STRING,
        resource: STRING,
        subresource: STRING,
        name: STRING,
        fieldSelector: struct('FieldSelectorAttributes', selector),
        labelSelector: struct('LabelSelectorAttributes', selector),
      }),
      nonResourceAttributes: struct('NonResourceAttributes', { path: STRING, verb: STRING }),
      user: STRING,
      groups: listOf(STRING),
      extra: mapOf(STRING, listOf(STRING)),
      uid: STRING,
    }),
  },
});

/** A compiled match condition. */
export interface ReviewExpression {
  readonly text: string;
  readonly program: Program;
}

/** Throws an Error with upstream's message when the expression is invalid. */
export function compileReviewExpression(text: string): ReviewExpression {
  try {
    const compiled = environment.compile(text);
    if (!sameType(compiled.type, BOOL)) throw new Error(`must evaluate to bool but got ${String(compiled.type)}`);
    return { text, program: compiled.program() };
  } catch (cause) {
    if (cause instanceof CelCompileError) throw new Error(`compilation failed: ${cause.message}`, { cause });
    throw cause;
  }
}

/** Whether all expressions are true: false when one is false. Otherwise throws an Error when some have failed. */
export async function holdFor(
  expressions: readonly ReviewExpression[],
  spec: SubjectAccessReviewSpec,
): Promise<boolean> {
  const bindings = new Map([['request', fromJson(complete(spec))]]);
  const errors: string[] = [];
  for (const { text, program } of expressions) {
    const { value, error } = await program.evaluateAsync(bindings);
    if (error) errors.push(`cel evaluation error: expression '${text}' resulted in error: ${error.message}`);
    else if (value !== true) return false;
  }
  if (errors.length > 0) throw new Error(aggregateMessage(errors));
  return true;
}

/** Adds missing string fields as empty strings, so that expressions need not check for their presence. */
function complete({ user = '', uid = '', groups = [], extra = {}, ...about }: SubjectAccessReviewSpec): unknown {
  const { resourceAttributes, nonResourceAttributes } = about;
  const empty = { namespace: '', verb: '', group: '', version: '', resource: '', subresource: '', name: '' };
  return {
    user,
    uid,
    groups,
    extra,
    ...(resourceAttributes && { resourceAttributes: { ...empty, ...resourceAttributes } }),
    ...(nonResourceAttributes && { nonResourceAttributes: { path: '', verb: '', ...nonResourceAttributes } }),
  };
}
