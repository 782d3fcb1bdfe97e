import type { Mutation } from '@coxswain/api/admissionregistration/v1';
import {
  applyJsonPatch,
  type GroupVersionKind,
  type KubernetesObject,
  newInternalError,
  newServiceUnavailable,
  TypedValue,
} from '@coxswain/apimachinery';
import { messageOf } from '@coxswain/apimachinery/errors';
import { CelError, CelList, type CelValue, listOf, toJson } from '@coxswain/cel';
import { JSON_PATCH, JSONPatchValue } from '@coxswain/cel/library';
import type { AdmissionObjects } from '../admission.ts';
import { type CompiledPolicyExpression, ExpressionProblem } from '../expressions/environment.ts';
import { misnamedParts, OBJECT, ObjectValue } from '../expressions/object-type.ts';
import type { PolicyCompiler } from './policy-compiler.ts';

/** The object to mutate, with its kind. */
interface MutatedObject {
  readonly object: KubernetesObject;
  readonly kind: GroupVersionKind;
  /** Absent: no schemas are available. */
  readonly objects: AdmissionObjects | undefined;
}

/** A compiled mutation: its expression, and how the result is applied. */
export interface CompiledMutation {
  readonly expression: CompiledPolicyExpression;
  /**
   * Applies the result of the expression. Returns the object with defaults, or the same object when nothing changes.
   * Throws an Error on failure, and an ApiError when the write fails regardless of the failurePolicy.
   */
  readonly apply: (value: CelValue, target: MutatedObject) => KubernetesObject;
}

const PATCHES = listOf(JSON_PATCH);

/** Compiles a mutation. It was validated when it was stored. */
export async function compileMutation(
  { jsonPatch, applyConfiguration, patchType }: Mutation,
  compiler: PolicyCompiler,
): Promise<CompiledMutation> {
  const scope = { authorizer: true, patchTypes: true };
  if (patchType === 'JSONPatch')
    return { expression: await compiler.compile(jsonPatch?.expression ?? '', [PATCHES], scope), apply: applyPatch };
  const { expression = '' } = applyConfiguration ?? {};
  return { expression: await compiler.compile(expression, [OBJECT], scope), apply: applyConfigured };
}

/** The compile error of a mutation, if any. */
export const compilationError = ({ expression: { program } }: CompiledMutation): Error | undefined =>
  program instanceof ExpressionProblem ? new Error(program.detail) : undefined;

function applyConfigured(value: CelValue, { object, kind, objects }: MutatedObject): KubernetesObject {
  if (!(value instanceof ObjectValue)) throw new Error('unsupported return type from ApplyConfiguration expression');
  // First, since this rejects values that are too large.
  const wanted = json(value) as object;
  assertNames(value);
  const schema = schemaOf(objects, kind);
  const patch = { ...wanted, apiVersion: object.apiVersion ?? '', kind: object.kind ?? '' };
  const failing = (what: string, cause: unknown): Error =>
    new Error(`error applying patch: ${what}: ${messageOf(cause)}`, { cause });
  const typed = within('failed to convert patch object to typed object', failing, () => TypedValue.of(patch, schema));
  const atomics = typed.atomics();
  if (atomics.length > 0)
    throw failing('invalid ApplyConfiguration', `may not mutate atomic arrays, maps or structs: ${atomics.join(', ')}`);
  const live = within('failed to convert original object to typed object', failing, () =>
    TypedValue.of(object, schema, { allowDuplicates: true }),
  );
  const merged = within('failed to merge patch', failing, () => live.merge(typed).value);
  if (!objects) return merged as KubernetesObject;
  try {
    return objects.withDefaults(objects.read(merged, kind));
  } catch (cause) {
    throw new Error(`unable to convert unstructured object to ${shown(kind)}: ${conversionProblem(cause)}`, { cause });
  }
}

/** Upstream's message, where it differs. */
function conversionProblem(error: unknown): string {
  const message = messageOf(error);
  const [, type] = /^json: cannot unmarshal number -?\d+\.\S* into Go .* of type (u?int\d+)$/.exec(message) ?? [];
  return type ? `cannot convert float64 to ${type}` : message;
}

const shown = ({ group, version, kind }: GroupVersionKind): string => `${group}/${version}, Kind=${kind}`;

function applyPatch(value: CelValue, { object, kind, objects }: MutatedObject): KubernetesObject {
  if (!(value instanceof CelList)) throw new Error('type mismatch: JSONPatchType.expression should evaluate to array');
  const operations = [...value].map(operationOf);
  schemaOf(objects, kind);
  let patched: unknown;
  try {
    patched = applyJsonPatch(object, operations);
  } catch (cause) {
    const message = messageOf(cause);
    // A failed test operation means that the patch does not apply to the object.
    if (message.endsWith(': test failed')) return object;
    throw new Error(`JSON Patch: ${message}`, { cause });
  }
  try {
    return objects ? objects.withDefaults(objects.read(patched, kind, true)) : (patched as KubernetesObject);
  } catch (error) {
    const message = messageOf(error);
    // Upstream detects another kind later, with this message.
    throw newInternalError(message.startsWith('converting (') ? `failed to convert object: ${message}` : message);
  }
}

function operationOf(value: CelValue): object {
  if (!(value instanceof JSONPatchValue))
    throw new Error('type mismatch: JSONPatchType.expression should evaluate to array of JSONPatch');
  const from = value.text('from');
  const { value: content } = value;
  const given = content === undefined ? {} : { value: json(content) };
  if (content instanceof ObjectValue) assertNames(content);
  return {
    op: value.text('op'),
    path: value.text('path'),
    ...(from !== '' && { from }),
    ...given,
  };
}

function assertNames(value: ObjectValue): void {
  const problems = misnamedParts(value);
  if (problems.length > 0) throw new Error(`type mismatch: ${problems.join('\n')}`);
}

function json(value: CelValue): unknown {
  try {
    return toJson(value);
  } catch (error) {
    if (!(error instanceof CelError)) throw error;
    throw new Error(`JSONPath valueExpression evaluated to a type that could not marshal to JSON: ${error.message}`);
  }
}

/** Throws ServiceUnavailable when there is no schema for the kind. */
function schemaOf(objects: AdmissionObjects | undefined, kind: GroupVersionKind) {
  const schema = objects?.schema(kind);
  if (schema) return schema;
  throw newServiceUnavailable(
    `Resource kind ${shown(kind)} not found. There can be a delay between when CustomResourceDefinitions are created and when they are available.`,
  );
}

function within<T>(what: string, failing: (what: string, cause: unknown) => Error, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw failing(what, error);
  }
}
