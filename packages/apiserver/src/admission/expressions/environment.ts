import type { EventLoop } from '@coxswain/apimachinery/turns';
import { messageOf } from '@coxswain/apimachinery/errors';
import {
  BOOL,
  CelCompileError,
  CelEnvironment,
  type CelType,
  DYN,
  INT,
  listOf,
  mapOf,
  objectType,
  type Program,
  STRING,
  sameType,
  TIMESTAMP,
} from '@coxswain/cel';
import { AUTHORIZER, jsonPatchLibrary, kubernetesLibraries, RESOURCE_CHECK } from '@coxswain/cel/library';
import { patchType } from './object-type.ts';

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

const namespaceType = struct('Namespace', {
  metadata: struct('NamespaceMetadata', {
    name: STRING,
    generateName: STRING,
    namespace: STRING,
    labels: mapOf(STRING, STRING),
    annotations: mapOf(STRING, STRING),
    // Upstream's spelling, with which no value is found.
    UID: STRING,
    creationTimestamp: TIMESTAMP,
    deletionGracePeriodSeconds: INT,
    deletionTimestamp: TIMESTAMP,
    generation: INT,
    resourceVersion: STRING,
    finalizers: listOf(STRING),
  }),
  spec: struct('NamespaceSpec', { finalizers: listOf(STRING) }),
  status: struct('NamespaceStatus', {
    conditions: listOf(
      struct('NamespaceCondition', {
        status: STRING,
        type: STRING,
        lastTransitionTime: TIMESTAMP,
        message: STRING,
        reason: STRING,
      }),
    ),
    phase: STRING,
  }),
});

/** Variables and types of an expression besides those of all admission expressions. */
export interface ExpressionScope {
  readonly params?: boolean;
  readonly authorizer?: boolean;
  /** The types `Object{}` and `JSONPatch{}`. */
  readonly patchTypes?: boolean;
}

/** The types of `object` and `oldObject`, and of `params`, if known. */
interface ObjectTypes {
  readonly object?: CelType | undefined;
  readonly params?: CelType | undefined;
}

let base: CelEnvironment | undefined;
const environments = new Map<string, CelEnvironment>();

/** Returns the environment of admission expressions. Cached by scope. */
export function admissionEnvironment({ params, authorizer, patchTypes }: ExpressionScope): CelEnvironment {
  const key = [params, authorizer, patchTypes].map(Boolean).join();
  let environment = environments.get(key);
  if (!environment) {
    environment = typedEnvironment({ ...(params && { params: DYN }) }, { authorizer: Boolean(authorizer) });
    if (patchTypes) environment = environment.extend({ libraries: [jsonPatchLibrary], resolveType: patchType });
    environments.set(key, environment);
  }
  return environment;
}

/** Returns an environment with typed variables. `params` is only declared with a type. */
export function typedEnvironment(
  { object = DYN, params }: ObjectTypes,
  { authorizer }: { readonly authorizer: boolean },
): CelEnvironment {
  base ??= new CelEnvironment({
    libraries: kubernetesLibraries,
    variables: { namespaceObject: namespaceType, request: requestType },
  });
  return base.extend({
    variables: {
      object,
      oldObject: object,
      ...(params && { params }),
      ...(authorizer && { authorizer: AUTHORIZER, 'authorizer.requestResource': RESOURCE_CHECK }),
    },
  });
}

/** Why an expression cannot be used. `isInternal`: the cause may not be the expression itself. */
export class ExpressionProblem {
  readonly detail: string;
  readonly isInternal: boolean;

  constructor(detail: string, isInternal = false) {
    this.detail = detail;
    this.isInternal = isInternal;
  }
}

/** A compiled expression, or the reason why it is invalid. */
export interface CompiledPolicyExpression {
  readonly text: string;
  readonly program: Program | ExpressionProblem;
  /** Undefined when it does not compile. */
  readonly type: CelType | undefined;
}

/** Compiles an expression, which must have one of `types`, if any are given. Problems have upstream's messages. */
export async function compileExpression(
  environment: CelEnvironment,
  text: string,
  types: readonly CelType[],
  eventLoop: EventLoop,
): Promise<CompiledPolicyExpression> {
  const failed = (detail: string, isInternal = false): CompiledPolicyExpression => ({
    text,
    program: new ExpressionProblem(detail, isInternal),
    type: undefined,
  });
  try {
    const compiled = await environment.compileAsync(text, eventLoop);
    const { type } = compiled;
    if (types.length > 0 && !types.some((wanted) => sameType(wanted, type)))
      return failed(
        types.length === 1
          ? `must evaluate to ${declaredName(types[0]!)} but got ${declaredName(type)}`
          : `must evaluate to one of [${types.map(declaredName).join(' ')}] but got ${declaredName(type)}`,
      );
    return { text, program: await compiled.programAsync(eventLoop), type };
  } catch (error) {
    const message = messageOf(error);
    if (error instanceof CelCompileError) return failed(`compilation failed: ${message}`);
    return failed(`program instantiation failed: ${message}`, true);
  }
}

/** The declared name of a type, which differs from that in compile errors: `null_type`, not `null`. */
const declaredName = ({ name, parameters }: CelType): string =>
  parameters.length === 0 ? name : `${name}(${parameters.map(declaredName).join(', ')})`;
