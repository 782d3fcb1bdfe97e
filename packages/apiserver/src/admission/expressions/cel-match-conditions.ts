import type { Authorizer } from '../../authorization/index.ts';
import type { CompileMatchConditions } from './match-conditions.ts';

/** Match conditions in CEL. CEL is loaded, and the conditions compiled, at the first evaluation. */
export const celMatchConditions =
  (authorizer: Authorizer): CompileMatchConditions =>
  (conditions) => {
    const load = () => import('./match-condition-expressions.ts');
    let expressions: ReturnType<Awaited<ReturnType<typeof load>>['compileExpressions']> | undefined;
    return async (input) => {
      const { compileExpressions, evaluateExpressions } = await load();
      expressions ??= compileExpressions(conditions, input.attributes.eventLoop);
      return evaluateExpressions(await expressions, input, authorizer);
    };
  };
