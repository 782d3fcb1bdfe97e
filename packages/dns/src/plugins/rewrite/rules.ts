import type { GoRegexp } from '@coxswain/apimachinery/go-regexp';
import type { Query } from '../../chain/index.ts';
import { type Directive, errorAt } from '../../corefile/index.ts';
import { classByName, fqdn, isDomainName, type Question, typeByName } from '../../wire/index.ts';
import { regexpOf } from '../errors.ts';
import {
  byName,
  byPattern,
  bySuffix,
  clampsTtl,
  filledIn,
  type ResponseRule,
  renames,
  retargets,
} from './response-rules.ts';

/** What a rule makes of a query: a new question, and rules for the answer. */
interface Rewritten {
  readonly question: Question;
  readonly responseRules: readonly ResponseRule[];
}

export interface RewriteRule {
  /** Whether further rules apply after this one. */
  readonly continues: boolean;
  /** Returns undefined when the rule does not match. */
  apply(query: Query): Rewritten | undefined;
}

/** Makes a rule from the words behind `rewrite`. Throws a CorefileError. */
export function rewriteRule(directive: Directive, words: readonly string[]): RewriteRule {
  const [first = '', ...others] = words;
  const mode = first.toLowerCase();
  const hasMode = mode === 'continue' || mode === 'stop';
  const [type = '', ...args] = hasMode ? others : words;
  return { continues: mode === 'continue', apply: applyOf(directive, type.toLowerCase(), args) };
}

function applyOf(directive: Directive, type: string, args: readonly string[]): RewriteRule['apply'] {
  switch (type) {
    case 'name':
      return nameRule(directive, args);
    case 'class':
      return fieldRule(directive, args, 'class', classByName);
    case 'type':
      return fieldRule(directive, args, 'type', typeByName);
    case 'ttl':
      return ttlRule(directive, args);
    case 'answer':
      throw errorAt(directive, 'response rewrites must begin with a name rule');
    case 'edns0':
    case 'cname':
    case 'rcode':
      throw errorAt(directive, `rewrite rules of the type '${type}' are not supported`);
    case '':
      throw errorAt(directive, 'no rule type specified for rewrite');
    default:
      throw errorAt(directive, `invalid rule type ${JSON.stringify(type)}`);
  }
}

function fieldRule(
  directive: Directive,
  [from = '', to = '', ...more]: readonly string[],
  field: 'class' | 'type',
  number: (name: string) => number | undefined,
): RewriteRule['apply'] {
  if (to === '' || more.length > 0) throw errorAt(directive, `${field} rules must have exactly two arguments`);
  const [old, replacement] = [number(from), number(to)];
  if (old === undefined || replacement === undefined)
    throw errorAt(directive, `invalid ${field} ${JSON.stringify(old === undefined ? from : to)}`);
  return ({ question }) =>
    question[field] === old ? { question: { ...question, [field]: replacement }, responseRules: [] } : undefined;
}

type Match = 'exact' | 'prefix' | 'suffix' | 'substring' | 'regex';
const matches: readonly Match[] = ['exact', 'prefix', 'suffix', 'substring', 'regex'];

function matchOf(directive: Directive, word: string, rule: string): Match {
  const found = matches.find((one) => one === word.toLowerCase());
  if (found) return found;
  const problem = `${rule} rule supports only exact, prefix, suffix, substring, and regex name matching`;
  throw errorAt(directive, `${problem}, received: ${word}`);
}

function ttlRule(directive: Directive, args: readonly string[]): RewriteRule['apply'] {
  if (args.length < 2 || args.length > 3) throw errorAt(directive, `too few (${args.length}) arguments for a ttl rule`);
  const [how = 'exact', text = '', range = ''] = args.length === 2 ? ['exact', ...args] : args;
  const match = matchOf(directive, how, 'ttl');
  const [min, max] = ttlRange(directive, range);
  const isMatch = matcher(directive, match, match === 'regex' ? text : normal(match, text));
  return ({ name, question }) => (isMatch(name) ? { question, responseRules: [clampsTtl(min, max)] } : undefined);
}

function ttlRange(directive: Directive, text: string): [number, number] {
  const [, low, dash, high] = /^(\d*)(-?)(\d*)$/.exec(text) ?? [];
  if (text === '' || text === '-' || low === undefined)
    throw errorAt(directive, `invalid TTL '${text}' for a ttl rule`);
  const min = Number(low);
  const max = dash ? (high === '' ? 2 ** 31 - 1 : Number(high)) : min;
  if (min > max || max > 0xffffffff) throw errorAt(directive, `invalid TTL '${text}' for a ttl rule`);
  return [min, max];
}

const normal = (match: Match, text: string): string =>
  match === 'exact' || match === 'suffix' ? fqdn(text.toLowerCase()) : text.toLowerCase();

function matcher(directive: Directive, match: Match, text: string): (name: string) => boolean {
  if (match === 'exact') return (name) => name === text;
  if (match === 'prefix') return (name) => name.startsWith(text);
  if (match === 'suffix') return (name) => name.endsWith(text);
  if (match === 'substring') return (name) => name.includes(text);
  const pattern = regexpOf(directive, text);
  return (name) => pattern.test(name);
}

function nameRule(directive: Directive, args: readonly string[]): RewriteRule['apply'] {
  if (args.length < 2) throw errorAt(directive, 'too few arguments for a name rule');
  const [how = 'exact', from = '', to = '', ...answer] = args.length === 2 ? ['exact', ...args] : args;
  const match = matchOf(directive, how, 'name');
  const { isAuto, rules } = answerRules(directive, match, answer);
  const rewrite = nameRewriter(directive, match, from, to);
  return ({ name, question }) => {
    const renamed = rewrite(name);
    if (renamed === undefined) return undefined;
    return {
      question: { ...question, name: renamed },
      responseRules: [...automatic(match, isAuto, { name, renamed, from, to }), ...rules],
    };
  };
}

/** Returns a function that returns the new name, or undefined for names that do not match. */
function nameRewriter(
  directive: Directive,
  match: Match,
  from: string,
  to: string,
): (name: string) => string | undefined {
  const [text, target] = [normal(match, from), normal(match, to)];
  if (match === 'regex') {
    const pattern = patternWithGroups(directive, from, to);
    return (name) => {
      const groups = pattern.findSubmatches(name);
      return (
        groups &&
        filledIn(
          fqdn(to.toLowerCase()),
          groups.map((group) => (group ? name.slice(group.start, group.end) : '')),
        )
      );
    };
  }
  if (match === 'exact') return (name) => (name === text ? target : undefined);
  if (match === 'prefix') return (name) => (name.startsWith(text) ? `${target}${name.slice(text.length)}` : undefined);
  if (match === 'suffix')
    return (name) => (name.endsWith(text) ? `${name.slice(0, name.length - text.length)}${target}` : undefined);
  return (name) => (name.includes(text) ? name.replaceAll(text, target) : undefined);
}

/** The answer to an exact rule always has the names of the query; the answer to others with `answer auto`. */
function automatic(
  match: Match,
  isAuto: boolean,
  { name, renamed, from, to }: { name: string; renamed: string; from: string; to: string },
): ResponseRule[] {
  if (match !== 'exact' && !isAuto) return [];
  const rewrite = match === 'suffix' ? bySuffix(normal(match, to), normal(match, from)) : byName(renamed, name);
  return [renames(rewrite), retargets(rewrite)];
}

function answerRules(
  directive: Directive,
  match: Match,
  words: readonly string[],
): { isAuto: boolean; rules: ResponseRule[] } {
  const rules: ResponseRule[] = [];
  let isAuto = false;
  let hasNames = false;
  const rest = [...words];
  if (rest.length === 1) throw errorAt(directive, `invalid arguments for ${match} rule`);
  while (rest.length > 0) {
    if (rest[0] === 'answer') rest.shift();
    else if (rules.length === 0 && !isAuto) {
      throw errorAt(directive, `exceeded the number of arguments for a non-answer rule argument for ${match} rule`);
    }
    const kind = rest.shift();
    if (kind === 'auto') {
      isAuto = true;
      continue;
    }
    if (kind !== 'name' && kind !== 'value') {
      const problem = kind === undefined ? 'type missing' : `invalid type ${JSON.stringify(kind)}`;
      throw errorAt(directive, `${problem} for answer rule for ${match} rule`);
    }
    const [from, to] = rest.splice(0, 2);
    if (from === undefined || to === undefined) {
      throw errorAt(directive, `${kind} answer rule for ${match} rule: 2 arguments required`);
    }
    const rewrite = byPattern(patternWithGroups(directive, from, to), fqdn(to.toLowerCase()));
    rules.push(kind === 'name' ? renames(rewrite) : retargets(rewrite));
    hasNames ||= kind === 'name';
  }
  if (isAuto && hasNames) {
    throw errorAt(directive, 'auto name answer rule cannot be combined with explicit name answer rules');
  }
  return { isAuto, rules };
}

function patternWithGroups(directive: Directive, from: string, to: string): GoRegexp {
  const pattern = regexpOf(directive, from);
  const used = new Set(Array.from(to.matchAll(/\{(\d{1,3})\}/g), ([, number]) => Number(number)));
  const groups = (pattern.findSubmatches('') ?? []).length;
  const highest = Math.max(0, ...used);
  // The number of groups is known only from a match; an empty text that does not match tells nothing.
  if (groups > 0 && highest >= groups) {
    const problem = `the rewrite regex pattern (${to}) uses more subexpressions than its corresponding matching regex pattern (${from})`;
    throw errorAt(directive, problem);
  }
  return pattern;
}

/** Whether a rewritten question can be asked. */
export const isValidQuestion = ({ name }: Question): boolean => isDomainName(name);
