import type { GoRegexp } from '@coxswain/apimachinery/go-regexp';
import {
  authoritative,
  emptyReply,
  failure,
  type Handler,
  type Plugin,
  type Query,
  type Reply,
} from '../../chain/index.ts';
import { argumentError, type Directive, errorAt } from '../../corefile/index.ts';
import type { DnsMetrics } from '../../metrics/index.ts';
import {
  classByName,
  className,
  longestZone,
  parseRecord,
  Rcode,
  type ResourceRecord,
  rcodeByName,
  targetOf,
  Type,
  typeByName,
  typeName,
} from '../../wire/index.ts';
import { regexpOf } from '../errors.ts';
import { Fallthrough, oneArgument, originsOf, type Setup, type SetupContext } from '../setup/index.ts';
import { type CompiledTemplate, compileTemplate, type TemplateData } from './go-template.ts';

const name = 'template';
const anyClass = 255;

type Section = 'answer' | 'authority' | 'additional';

interface Template {
  readonly class: number;
  readonly type: number;
  readonly zones: readonly string[];
  readonly patterns: readonly GoRegexp[];
  readonly sections: Readonly<Record<Section, readonly CompiledTemplate<TemplateData>[]>>;
  readonly rcode: number;
  readonly fallthrough: Fallthrough;
}

/** The plug-in `template`: answers that are made from the query. */
export const setupTemplate: Setup = (directives, context) => {
  const templates = directives.map((directive) => templateOf(directive, context));
  const plugin: Plugin = {
    name,
    handler: (next) => (query) => answer(templates, query, next, context.metrics),
  };
  return plugin;
};

function templateOf(directive: Directive, { block }: SetupContext): Template {
  const [classText, typeText, ...zones] = directive.args;
  if (classText === undefined || typeText === undefined) throw argumentError(directive);
  const classNumber = classByName(classText);
  if (classNumber === undefined) throw errorAt(directive, `invalid query class ${classText}`);
  const type = typeByName(typeText);
  if (type === undefined) throw errorAt(directive, `invalid RR class ${typeText}`);
  const patterns: GoRegexp[] = [];
  const sections: Record<Section, CompiledTemplate<TemplateData>[]> = { answer: [], authority: [], additional: [] };
  const fallthrough = new Fallthrough();
  let rcode: number = Rcode.NOERROR;
  for (const option of directive.block ?? []) {
    switch (option.name) {
      case 'match':
        if (option.args.length === 0) throw argumentError(option);
        patterns.push(...option.args.map((pattern) => regexpOf(option, pattern)));
        break;
      case 'answer':
      case 'authority':
      case 'additional':
        if (option.args.length === 0) throw argumentError(option);
        sections[option.name].push(...option.args.map((text) => compiled(option, text)));
        break;
      case 'rcode':
        rcode = rcodeOf(option);
        break;
      case 'fallthrough':
        fallthrough.read(option);
        break;
      // Targets of CNAME records are always looked up.
      case 'upstream':
        break;
      case 'ederror':
      case 'var':
      case 'expr':
        throw errorAt(option, `'${option.name}' is not supported`);
      default:
        throw argumentError(option);
    }
  }
  if (patterns.length === 0) patterns.push(regexpOf(directive, '.*'));
  return {
    class: classNumber,
    type,
    zones: originsOf(directive, zones, block),
    patterns,
    sections,
    rcode,
    fallthrough,
  };
}

function compiled(option: Directive, text: string): CompiledTemplate<TemplateData> {
  try {
    return compileTemplate(text);
  } catch (error) {
    throw errorAt(
      option,
      `could not compile template: ${option.name}, ${error instanceof Error ? error.message : error}`,
    );
  }
}

function rcodeOf(option: Directive): number {
  const rcode = rcodeByName(oneArgument(option));
  if (rcode === undefined) throw errorAt(option, `unknown rcode ${option.args[0]}`);
  return rcode;
}

function answer(
  templates: readonly Template[],
  query: Query,
  next: Handler,
  metrics: DnsMetrics,
): Reply | Promise<Reply> {
  for (const template of templates) {
    const found = match(template, query);
    if (found === 'not for this') continue;
    if (found === 'no match') {
      if (template.fallthrough.allows(query.name)) continue;
      return { ...emptyReply(Rcode.SERVFAIL), plugin: name };
    }
    metrics.templateMatches.with(query.server, found.Zone, '', found.Class, found.Type).inc();
    if (template.rcode === Rcode.SERVFAIL) return { ...emptyReply(Rcode.SERVFAIL), plugin: name };
    return execute(template, query, found);
  }
  return next(query);
}

function match({ zones, patterns, ...template }: Template, query: Query): TemplateData | 'not for this' | 'no match' {
  const { question, name: asked } = query;
  const zone = longestZone(zones, asked);
  if (zone === undefined) return 'not for this';
  if (template.class !== anyClass && question.class !== anyClass && question.class !== template.class)
    return 'not for this';
  if (template.type !== Type.ANY && question.type !== Type.ANY && question.type !== template.type)
    return 'not for this';
  for (const pattern of patterns) {
    const groups = pattern.findSubmatches(asked);
    if (!groups) continue;
    const texts = groups.map((group) => textOf(asked, group));
    const named = Object.fromEntries(texts.map((text, index) => [String(index), text]));
    return {
      Zone: zone,
      Name: asked,
      Class: className(question.class === anyClass ? template.class : question.class),
      Type: typeName(question.type === Type.ANY ? template.type : question.type),
      Remote: query.client.address,
      Regex: pattern.pattern,
      Match: texts,
      Group: { ...named, ...namedGroups(pattern.pattern, texts) },
      Question: { Name: question.name, Qtype: question.type, Qclass: question.class },
      Message: { Id: query.id },
    };
  }
  return 'no match';
}

const textOf = (text: string, group: { readonly start: number; readonly end: number } | undefined): string =>
  group ? text.slice(group.start, group.end) : '';

/** Numbers the opening brackets of a pattern to find its named groups. */
function namedGroups(pattern: string, texts: readonly string[]): Record<string, string> {
  const groups: Record<string, string> = {};
  const plain = pattern.replace(/\\[\s\S]/g, '').replace(/\[\^?\]?[^\]]*\]/g, '');
  let number = 0;
  for (const [, named] of plain.matchAll(/\((?!\?(?!P?<))(?:\?P?<(\w+)>)?/g)) {
    number++;
    if (named !== undefined) groups[named] = texts[number] ?? '';
  }
  return groups;
}

async function execute({ sections, rcode }: Template, query: Query, data: TemplateData): Promise<Reply> {
  try {
    const records = (section: Section): ResourceRecord[] => sections[section].map((make) => parseRecord(make(data)));
    const answers = records('answer');
    const [last] = answers.slice(-1);
    const { type } = query.question;
    if ((type === Type.A || type === Type.AAAA) && last?.type === Type.CNAME) {
      answers.push(...(await query.lookup(targetOf(last) ?? '.', type)).answers);
    }
    const [authorities, additionals] = [records('authority'), records('additional')];
    return { ...emptyReply(rcode, authoritative), answers, authorities, additionals, plugin: name };
  } catch (error) {
    return failure(name, error instanceof Error ? error : new Error(String(error)));
  }
}
