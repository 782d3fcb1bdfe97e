import type { JSONSchemaProps } from '@coxswain/api/apiextensions/v1';
import type { ErrorList } from '@coxswain/apimachinery';
import type { EventLoop } from '@coxswain/apimachinery/turns';
import { Correlation } from './correlation.ts';
import { RuleNodes } from './rule-node.ts';
import { RuleRun } from './rule-run.ts';

/** What the rules of a schema have against an object; with `old`, the one it takes the place of. */
export type RuleValidator = (
  object: unknown,
  old: unknown,
  warn: ((warning: string) => void) | undefined,
) => ErrorList | Promise<ErrorList>;

/**
 * The rules of a resource's schema at work: compiled when the first object is there to be judged. The outcome is a
 * promise only where judging takes longer than a few milliseconds, by the event loop; others run meanwhile.
 */
export function compileRuleValidator(schema: JSONSchemaProps, eventLoop: EventLoop): RuleValidator {
  const node = new RuleNodes().of(schema, true);
  if (!node) return () => [];
  return (object, old, warn) => {
    const run = new RuleRun({ ...(warn && { warn }), eventLoop });
    const correlation = old === undefined ? undefined : Correlation.ofRoot(schema, object, old);
    const pending = run.judge(node, { path: undefined, value: object, old, correlation });
    return pending ? pending.then(() => run.errors) : run.errors;
  };
}
