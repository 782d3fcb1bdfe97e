import { Path } from '@coxswain/apimachinery';
import { describe, expect, it } from 'vitest';
import { readCommandLine } from '../flags/command-line.ts';
import { componentLogging } from './component-logging.ts';
import { loggingFlags } from './logging-flags.ts';
import { loggingProblems, validateLogging } from './validate-logging.ts';

function parse(...args: string[]) {
  const form = {
    component: 'kube-scheduler',
    self: 'this scheduler',
    flags: loggingFlags,
    ignored: {},
    refused: {},
    validate: loggingProblems,
  };
  const parsed = readCommandLine(args, form, {});
  if (parsed.wanted !== 'run') throw new Error('unexpected');
  return parsed.options;
}

function logging(...args: string[]) {
  const lines: string[] = [];
  const write = (line: string): void => void lines.push(line);
  const now = (): Date => new Date('2026-11-15T12:00:00.123Z');
  return { lines, ...componentLogging({ name: 'kube-scheduler', given: parse(...args), write, now, processId: 4711 }) };
}

it('writes text in the format of klog, without infos above the verbosity', () => {
  const { logger, lines } = logging();
  logger.info('Ready', { nodes: 2 });
  logger.v(1).info('Details');
  expect(lines).toEqual(['I1115 12:00:00.123000    4711 kube-scheduler] "Ready" nodes=2\n']);
});

it('--logging-format=json writes objects', () => {
  const { logger, lines } = logging('--logging-format=json', '-v2');
  logger.v(2).info('Ready');
  expect(lines).toEqual(['{"ts":1794744000123,"logger":"kube-scheduler","msg":"Ready","v":2}\n']);
});

it('--vmodule sets the verbosity of loggers by name, and may be repeated', () => {
  const { logger, lines } = logging('--vmodule=queue=4', '--vmodule=reflector=2');
  for (const name of ['queue', 'reflector', 'other']) logger.named(name).v(2).info(name);
  logger.named('reflector').v(3).info('reflector');
  expect(lines.map((line) => line.replace(/.*\] /, ''))).toEqual(['"queue"\n', '"reflector"\n']);
});

it('the verbosity can change while the component runs', () => {
  const { logger, lines, verbosity } = logging();
  verbosity.set(4);
  logger.v(4).info('now');
  expect(lines).toHaveLength(1);
});

describe('invalid flags are refused with the message of kube-scheduler', () => {
  const cases: Record<string, [string[], string]> = {
    'an unknown format': [['--logging-format=xml'], 'format: Invalid value: "xml": Unsupported log format'],
    'patterns with another format than text': [
      ['--logging-format=json', '--vmodule=a=1'],
      'vmodule: Forbidden: Only supported for text log format',
    ],
    'a pattern without a level': [
      ['--vmodule=a'],
      'invalid argument "a" for "--vmodule" flag: "a" does not have the pattern=N format',
    ],
    'a level that is not a number': [
      ['-v=x'],
      'invalid argument "x" for "-v, --v" flag: strconv.ParseUint: parsing "x": invalid syntax',
    ],
    'a level that is too high': [
      ['--v=2147483648'],
      'invalid argument "2147483648" for "-v, --v" flag: strconv.ParseUint: parsing "2147483648": value out of range',
    ],
  };
  for (const [what, [args, message]] of Object.entries(cases)) {
    it(what, () => expect(() => parse(...args)).toThrow(message));
  }
});

it('errors in configuration files name the field', () => {
  const errors = validateLogging({ loggingFormat: 'xml', vmodule: 'a=1' }, Path.of('logging'));
  expect(errors.map(String)).toEqual([
    'logging.format: Invalid value: "xml": Unsupported log format',
    'logging.vmodule: Forbidden: Only supported for text log format',
  ]);
});
