import { describe, expect, it } from 'vitest';
import { jsonFormat, textFormat } from './format.ts';
import { type LogEntry, newLogger } from './logger.ts';
import { verbosity } from './verbosity.ts';

const now = new Date('2026-11-15T12:00:00.123Z');
const bare: LogEntry = { severity: 'info', level: 0, name: '', message: 'Ready', fields: {} };
const pod = { kind: 'Pod', metadata: { name: 'web', namespace: 'default', uid: '1' }, spec: { secret: 'x' } };

describe('text', () => {
  const text = (entry: Partial<LogEntry>, processId?: number): string =>
    textFormat(processId)({ ...bare, ...entry }, now);

  const lines: Record<string, [Partial<LogEntry>, string]> = {
    'a message': [{}, 'I1115 12:00:00.123000] "Ready"\n'],
    'the name of the logger': [
      { name: 'kube-scheduler.queue' },
      'I1115 12:00:00.123000 kube-scheduler.queue] "Ready"\n',
    ],
    'a warning': [{ severity: 'warning' }, 'W1115 12:00:00.123000] "Ready"\n'],
    'an error before the fields': [
      { severity: 'error', error: new Error('no "room"'), fields: { node: 'n1' } },
      'E1115 12:00:00.123000] "Ready" err="no \\"room\\"" node="n1"\n',
    ],
    'text of several lines, on one line': [
      { message: 'a\nb', fields: { output: 'c\nd' } },
      'I1115 12:00:00.123000] "a\\nb" output="c\\nd"\n',
    ],
    'numbers, booleans and null': [
      { fields: { count: 3, isNew: false, none: null, absent: undefined, ratio: Number.NaN } },
      'I1115 12:00:00.123000] "Ready" count=3 isNew=false none=null absent=null ratio="NaN"\n',
    ],
    'API objects by their names': [
      { fields: { pod, node: { metadata: { name: 'n1' } }, lease: { namespace: 'a', name: 'b' }, pods: [pod, pod] } },
      'I1115 12:00:00.123000] "Ready" pod="default/web" node="n1" lease="a/b" pods=["default/web","default/web"]\n',
    ],
    'other objects as JSON': [
      { fields: { taint: { key: 'a', effect: 'NoExecute' }, list: ['a', 1] } },
      'I1115 12:00:00.123000] "Ready" taint={"key":"a","effect":"NoExecute"} list=["a",1]\n',
    ],
  };
  for (const [what, [entry, line]] of Object.entries(lines)) {
    it(`writes ${what}`, () => expect(text(entry)).toBe(line));
  }

  it('writes the process ID as klog does', () =>
    expect(text({}, 4711)).toBe('I1115 12:00:00.123000    4711] "Ready"\n'));
});

describe('JSON', () => {
  const lines: Record<string, [Partial<LogEntry>, string]> = {
    'an info with its level': [
      { level: 4, name: 'reflector', fields: { items: 2 } },
      '{"ts":1794744000123,"logger":"reflector","msg":"Ready","v":4,"items":2}\n',
    ],
    'a warning': [{ severity: 'warning' }, '{"ts":1794744000123,"msg":"Ready","v":0,"severity":"warning"}\n'],
    'an error, without a level': [
      { severity: 'error', error: new Error('conflict') },
      '{"ts":1794744000123,"msg":"Ready","err":"conflict"}\n',
    ],
    'API objects by their names': [
      { fields: { pod, node: { metadata: { name: 'n1' } } } },
      '{"ts":1794744000123,"msg":"Ready","v":0,"pod":{"name":"web","namespace":"default"},"node":{"name":"n1"}}\n',
    ],
    'fields with the names of its own keys': [
      { fields: { msg: 'other', ['__proto__']: 1 } },
      '{"ts":1794744000123,"msg":"Ready","v":0,"fields.msg":"other","__proto__":1}\n',
    ],
  };
  for (const [what, [entry, line]] of Object.entries(lines)) {
    it(`writes ${what}`, () => expect(jsonFormat({ ...bare, ...entry }, now)).toBe(line));
  }
});

it('a sink writes the entries of a logger in a format', () => {
  const written: string[] = [];
  const format = textFormat();
  const logger = newLogger((entry) => written.push(format(entry, now)), { name: 'a', verbosity: verbosity(2) });
  logger.named('b').with({ pod }).v(2).info('Bound pod', { node: 'n1' });
  expect(written).toEqual(['I1115 12:00:00.123000 a.b] "Bound pod" pod="default/web" node="n1"\n']);
});
