import { compileGoRegexp, type GoRegexp } from '@coxswain/apimachinery/go-regexp';
import { formatDuration } from '@coxswain/apimachinery/time';
import type { Clock, Logger } from '@coxswain/client';
import { type Plugin, type Query, type Reply, whenReplied } from '../chain/index.ts';
import { argumentError, type Directive, errorAt } from '../corefile/index.ts';
import { typeName } from '../wire/index.ts';
import { durationOf, onlyOne, type Setup } from './setup/index.ts';

const name = 'errors';

type Level = 'error' | 'warning' | 'info' | 'debug';

/** Errors that are counted and reported together. */
interface Consolidated {
  readonly pattern: GoRegexp;
  readonly periodMs: number;
  readonly level: Level;
  readonly showsFirst: boolean;
  count: number;
}

/** The plug-in `errors`: logs why a query could not be answered. */
export const setupErrors: Setup = (directives, { clock, logger }) => {
  const directive = onlyOne(directives);
  const [target, ...more] = directive.args;
  if (more.length > 0) throw argumentError(directive);
  if (target !== undefined && target !== 'stdout') throw errorAt(directive, `invalid log file: ${target}`);
  const consolidated: Consolidated[] = [];
  for (const option of directive.block ?? []) {
    if (option.name === 'consolidate') consolidated.push(consolidate(option));
    // Stack traces of errors are always in the log.
    else if (option.name !== 'stacktrace') throw errorAt(option, `Unknown field ${option.name}`);
  }
  const log = new ErrorLog(consolidated, clock, logger);
  const plugin: Plugin = {
    name,
    handler: (next) => (query) =>
      whenReplied(next(query), (reply) => {
        if (reply.error) log.report(query, reply, reply.error);
        return reply;
      }),
    start: (signal) => signal.addEventListener('abort', () => log.flush(), { once: true }),
  };
  return plugin;
};

function consolidate(option: Directive): Consolidated {
  const [period, pattern, ...rest] = option.args;
  if (pattern === undefined || rest.length > 2) throw argumentError(option);
  const levels = ['error', 'warning', 'info', 'debug'] as const;
  let level: Level | undefined;
  let showsFirst = false;
  for (const word of rest) {
    const found = levels.find((one) => one === word);
    if (found && level) throw errorAt(option, 'multiple log levels specified in consolidate');
    if (found && showsFirst) throw errorAt(option, 'log level must come before show_first in consolidate');
    if (!found && word !== 'show_first') throw errorAt(option, `unknown option in consolidate: ${word}`);
    if (found) level = found;
    else showsFirst = true;
  }
  return {
    pattern: regexpOf(option, pattern),
    periodMs: durationOf(option, period),
    level: level ?? 'error',
    showsFirst,
    count: 0,
  };
}

/** Compiles a regular expression of a directive. Throws a CorefileError. */
export function regexpOf(directive: Directive, pattern: string): GoRegexp {
  if (pattern.length > 10_000) throw errorAt(directive, `regex pattern too long: ${pattern.length} > 10000`);
  try {
    return compileGoRegexp(pattern);
  } catch (error) {
    throw errorAt(directive, error instanceof Error ? error.message : String(error));
  }
}

class ErrorLog {
  readonly #consolidated: readonly Consolidated[];
  readonly #clock: Clock;
  readonly #logger: Logger;

  constructor(consolidated: readonly Consolidated[], clock: Clock, logger: Logger) {
    this.#consolidated = consolidated;
    this.#clock = clock;
    this.#logger = logger.named(name);
  }

  report(query: Query, { rcode }: Reply, error: Error): void {
    const group = this.#consolidated.find(({ pattern }) => pattern.test(error.message));
    if (group && !this.#isFirst(group)) return;
    const fields = { rcode, name: query.name, type: typeName(query.question.type), err: error.message };
    this.#write(group?.level ?? 'error', 'Query failed', fields);
  }

  /** Writes what was counted. */
  flush(): void {
    for (const group of this.#consolidated) this.#summarize(group);
  }

  /** Counts an error. Returns true for one that is logged by itself. */
  #isFirst(group: Consolidated): boolean {
    group.count++;
    if (group.count > 1) return false;
    this.#clock.setTimeout(() => this.#summarize(group), group.periodMs, { background: true });
    return group.showsFirst;
  }

  #summarize(group: Consolidated): void {
    const { count, pattern, periodMs, level, showsFirst } = group;
    group.count = 0;
    if (count === 0 || (count === 1 && showsFirst)) return;
    const period = formatDuration(BigInt(Math.round(periodMs * 1e6)));
    this.#write(level, 'Queries failed alike', { count, pattern: pattern.pattern, period });
  }

  #write(level: Level, message: string, fields: Readonly<Record<string, unknown>>): void {
    if (level === 'error') this.#logger.error(message, undefined, fields);
    else if (level === 'warning') this.#logger.warn(message, fields);
    else if (level === 'info') this.#logger.info(message, fields);
    else this.#logger.v(4).info(message, fields);
  }
}
