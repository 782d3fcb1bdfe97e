import type {
  ExpressionWarning,
  NamedRuleWithOperations,
  ValidatingAdmissionPolicy,
} from '@coxswain/api/admissionregistration/v1';
import { GroupVersion, type GroupVersionKind, GroupVersionResource } from '@coxswain/apimachinery';
import type { EventLoop } from '@coxswain/apimachinery/turns';
import { type CelType, DYN } from '@coxswain/cel';
import { ExpressionProblem, typedEnvironment } from '../expressions/environment.ts';
import { PolicyCompiler } from './policy-compiler.ts';

export interface TypeCheckerOptions {
  /** Returns the kinds of a served resource. */
  readonly kindsFor: (resource: GroupVersionResource) => readonly GroupVersionKind[];
  /** Undefined for an unknown kind. */
  readonly typeOf: (kind: GroupVersionKind) => CelType | undefined;
  readonly eventLoop: EventLoop;
}

/** Maximum number of kinds of a rule that are checked. */
const maxKinds = 10;
const compilationFailed = 'compilation failed: ';

/**
 * Returns the type errors of a policy's expressions for the kinds that it matches, for `status.typeChecking`. The
 * policy is active nevertheless. Differs from upstream, which reports every `authorizer.requestResource` as an error.
 */
export async function checkTypes(
  { spec = {} }: Pick<ValidatingAdmissionPolicy, 'spec'>,
  options: TypeCheckerOptions,
): Promise<ExpressionWarning[]> {
  const { paramKind, variables = [], validations = [], matchConstraints } = spec;
  const params =
    paramKind && (options.typeOf(GroupVersion.parse(paramKind.apiVersion ?? '').withKind(paramKind.kind ?? '')) ?? DYN);
  const compilers: { readonly kind: GroupVersionKind; readonly compiler: PolicyCompiler }[] = [];
  for (const kind of kindsOf(matchConstraints?.resourceRules ?? [], options.kindsFor)) {
    const object = options.typeOf(kind);
    if (!object) continue;
    const environment = typedEnvironment({ object, params }, { authorizer: true });
    const compiler = new PolicyCompiler(() => environment, options.eventLoop);
    for (const variable of variables) await compiler.addVariable(variable);
    compilers.push({ kind, compiler });
  }
  const warnings: ExpressionWarning[] = [];
  const check = async (fieldRef: string, expression: string): Promise<void> => {
    const problems: string[] = [];
    for (const { kind, compiler } of compilers) {
      const { program } = await compiler.compile(expression, [], {});
      // An error in evaluating a constant part is not a type error.
      if (!(program instanceof ExpressionProblem) || program.isInternal) continue;
      const issues = program.detail.slice(compilationFailed.length);
      problems.push(`${kind.group}/${kind.version}, Kind=${kind.kind}: ${issues}\n`);
    }
    if (problems.length > 0) warnings.push({ fieldRef, warning: problems.join('\n') });
  };
  for (const [index, { expression, messageExpression }] of validations.entries()) {
    await check(`spec.validations[${index}].expression`, expression);
    if (messageExpression) await check(`spec.validations[${index}].messageExpression`, messageExpression);
  }
  return warnings;
}

/** The kinds that rules name, sorted. Wildcards are skipped. */
function kindsOf(
  rules: readonly NamedRuleWithOperations[],
  kindsFor: TypeCheckerOptions['kindsFor'],
): GroupVersionKind[] {
  const kinds = new Set<GroupVersionKind>();
  for (const { apiGroups = [], apiVersions = [], resources = [] } of rules) {
    if ([...apiGroups, ...apiVersions].some((name) => name.includes('*'))) continue;
    const named = resources.filter((name) => !/[*/]/.test(name)).sort();
    let count = 0;
    for (const group of [...apiGroups].sort())
      for (const version of [...apiVersions].sort())
        for (const resource of named)
          for (const kind of kindsFor(GroupVersionResource.of(group, version, resource))) {
            kinds.add(kind);
            if (++count === maxKinds) return sorted(kinds);
          }
  }
  return sorted(kinds);
}

const sorted = (kinds: Iterable<GroupVersionKind>): GroupVersionKind[] =>
  [...kinds].sort((a, b) => compare(a.group, b.group) || compare(a.version, b.version) || compare(a.kind, b.kind));

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
