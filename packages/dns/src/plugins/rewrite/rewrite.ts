import { failure, type Handler, type Plugin, type Query, type Reply, whenReplied } from '../../chain/index.ts';
import { errorAt } from '../../corefile/index.ts';
import type { Setup } from '../setup/index.ts';
import type { ResponseRule } from './response-rules.ts';
import { isValidQuestion, type RewriteRule, rewriteRule } from './rules.ts';

const name = 'rewrite';

/** The plug-in `rewrite`: asks another question than the client did, and changes the names in the answer back. */
export const setupRewrite: Setup = (directives) => {
  const rules = directives.flatMap((directive) => {
    const { args, block } = directive;
    if (!block) return [rewriteRule(directive, args)];
    if (args.length > 1) throw errorAt(directive, 'a rewrite block has only a mode before it');
    // One rule, spread over several lines.
    return [rewriteRule(directive, [...args, ...block.flatMap((line) => [line.name, ...line.args])])];
  });
  const plugin: Plugin = {
    name,
    handler: (next) => (query) => rewritten(rules, query, next),
  };
  return plugin;
};

function rewritten(rules: readonly RewriteRule[], query: Query, next: Handler): Reply | Promise<Reply> {
  let current = query;
  const responseRules: ResponseRule[] = [];
  for (const rule of rules) {
    const result = rule.apply(current);
    if (!result) continue;
    const { question } = result;
    if (!isValidQuestion(question)) return failure(name, new Error(`invalid name after rewrite: ${question.name}`));
    current = { ...current, question, name: question.name.toLowerCase() };
    responseRules.push(...result.responseRules);
    if (!rule.continues) break;
  }
  if (current === query) return next(query);
  // The rules for the answer apply in the reverse order.
  responseRules.reverse();
  return whenReplied(next(current), (reply) => {
    const change = (records: Reply['answers']): Reply['answers'] =>
      records.map((record) => responseRules.reduce((changed, rule) => rule(changed), record));
    return {
      ...reply,
      answers: change(reply.answers),
      authorities: change(reply.authorities),
      additionals: change(reply.additionals),
    };
  });
}
