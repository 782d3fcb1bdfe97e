import { jsonValueOf, reasonOf, textValueOf } from './field-value.ts';
import type { LogEntry } from './logger.ts';

/** Formats an entry as a line, with its line break. */
export type LogFormat = (entry: LogEntry, now: Date) => string;

const letters = { info: 'I', warning: 'W', error: 'E' };

/**
 * Formats like klog: `I1115 12:00:00.000000    4711 kube-scheduler] "Bound pod" pod="default/web" node="n1"`, with the name of the logger
 * in the place of klog's file name, and the time in UTC. Differs from upstream: values of several lines are quoted, so that an entry is a
 * single line.
 */
export function textFormat(processId?: number): LogFormat {
  const process = processId === undefined ? '' : ` ${String(processId).padStart(7)}`;
  return (entry, now) => {
    const [date = '', time = ''] = now.toISOString().slice(5, -1).split('T');
    const header = `${letters[entry.severity]}${date.replace('-', '')} ${time}000${process}${entry.name && ` ${entry.name}`}`;
    return `${header}] ${JSON.stringify(entry.message)}${textFieldsOf(entry)}\n`;
  };
}

/** Formats error and fields: ` err="not found" pod="default/web"`. */
export function textFieldsOf({ error, fields }: LogEntry): string {
  let text = error === undefined ? '' : ` err=${textValueOf(reasonOf(error))}`;
  for (const key in fields) text += ` ${key}=${textValueOf(fields[key])}`;
  return text;
}

/**
 * Formats an object per line, with the keys of upstream's `--logging-format=json`: `ts` in milliseconds, `logger`, `msg`, `v` of infos
 * and warnings, `err` of errors, and the fields. A warning also has `severity`, for which upstream has no key.
 */
export const jsonFormat: LogFormat = ({ severity, level, name, message, fields, error }, now) => {
  const line = new Map<string, unknown>([['ts', now.getTime()]]);
  if (name !== '') line.set('logger', name);
  line.set('msg', message);
  if (severity !== 'error') line.set('v', level);
  if (severity === 'warning') line.set('severity', severity);
  for (const key in fields) line.set(line.has(key) ? `fields.${key}` : key, jsonValueOf(fields[key]));
  if (error !== undefined) line.set('err', jsonValueOf(reasonOf(error)));
  return `${JSON.stringify(Object.fromEntries(line))}\n`;
};
