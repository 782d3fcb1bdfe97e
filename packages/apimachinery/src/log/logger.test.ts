import { expect, it } from 'vitest';
import { type LogEntry, newLogger } from './logger.ts';
import { silentLogger } from './loggers.ts';
import { recordLogs } from './record-logs.ts';
import { parseNamedVerbosity, verbosity } from './verbosity.ts';

it('gives its sink all entries in order', () => {
  const entries: LogEntry[] = [];
  const logger = newLogger((entry) => entries.push(entry));
  const error = new Error('conflict');
  logger.info('first');
  logger.error('second', error, { lease: 'a/b' });
  logger.warn('third', { count: 1 });
  expect(entries).toEqual([
    { severity: 'info', level: 0, name: '', message: 'first', fields: {} },
    { severity: 'error', level: 0, name: '', message: 'second', fields: { lease: 'a/b' }, error },
    { severity: 'warning', level: 0, name: '', message: 'third', fields: { count: 1 } },
  ]);
});

it('logs infos up to its verbosity, and warnings and errors always', () => {
  const { logger, lines } = recordLogs({ verbosity: 2 });
  for (const level of [0, 1, 2, 3]) logger.v(level).info(`level ${level}`);
  logger.v(3).warn('slow');
  logger.v(3).error('broken');
  expect(lines).toEqual(['info "level 0"', 'info "level 1"', 'info "level 2"', 'warning "slow"', 'error "broken"']);
  expect([2, 3].map((level) => logger.v(level).enabled)).toEqual([true, false]);
});

it('adds levels up, as klog does', () => {
  const { logger, entries } = recordLogs({ verbosity: 3 });
  logger.v(1).v(2).info('here');
  logger.v(2).v(2).info('not here');
  expect(entries.map(({ level }) => level)).toEqual([3]);
});

it('has fields on every line; of several with one name the last one wins', () => {
  const { logger, lines } = recordLogs();
  logger.with({ a: 1, b: 1 }).with({ b: 2 }).info('here', { c: 3 });
  logger.info('there');
  expect(lines).toEqual(['info "here" a=1 b=2 c=3', 'info "there"']);
});

it('names the parts of a component', () => {
  const { logger, entries } = recordLogs();
  logger.named('kube-scheduler').named('queue').info('here');
  expect(entries[0]?.name).toBe('kube-scheduler.queue');
});

it('silentLogger logs nothing, at any level', () => {
  expect(silentLogger.v(1).enabled).toBe(false);
  silentLogger.named('a').with({ b: 1 }).error('broken', new Error('no'));
});

it('verbosity may be changed while a program runs', () => {
  const level = verbosity(0);
  const messages: string[] = [];
  const logger = newLogger(({ message }) => messages.push(message), { verbosity: level }).v(4);
  logger.info('before');
  level.set(4);
  logger.info('after');
  expect(messages).toEqual(['after']);
});

it('names may have a verbosity of their own: the first pattern that matches wins', () => {
  const level = verbosity(1, parseNamedVerbosity('reflector=5,kube-scheduler*=3,*=2'));
  expect(['reflector', 'a.reflector', 'kube-scheduler.queue', 'other'].map(level.of)).toEqual([5, 5, 3, 2]);
});

it('names that no pattern matches have the common verbosity', () => {
  const level = verbosity(1, parseNamedVerbosity('queu?=5,a.b=3'));
  level.set(2);
  expect(['queue', 'queues', 'a.b', 'a+b', ''].map(level.of)).toEqual([5, 2, 3, 2, 2]);
});

const broken: Record<string, string> = {
  reflector: '"reflector" does not have the pattern=N format',
  'reflector=': '"reflector=" does not have the pattern=N format',
  '=1': '"=1" does not have the pattern=N format',
  'a=1=2': '"a=1=2" does not have the pattern=N format',
  'a=b': 'parsing verbosity in "a=b": strconv.ParseUint: parsing "b": invalid syntax',
  'a=-1': 'parsing verbosity in "a=-1": strconv.ParseUint: parsing "-1": invalid syntax',
  'a=2147483648': 'parsing verbosity in "a=2147483648": strconv.ParseUint: parsing "2147483648": value out of range',
};
for (const [text, message] of Object.entries(broken)) {
  it(`--vmodule=${text} is refused as upstream does`, () => expect(() => parseNamedVerbosity(text)).toThrow(message));
}

it('commas at the ends of --vmodule are ignored', () =>
  expect(parseNamedVerbosity('a=1,')).toEqual([{ pattern: 'a', level: 1 }]));
