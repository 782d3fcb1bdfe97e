import { type FieldError, forbidden, invalid, Path } from '@coxswain/apimachinery';
import type { LoggingOptions } from './logging-flags.ts';

/**
 * What cannot work of a component's logging, in upstream's words. `path` is where a configuration file has it, as KubeletConfiguration's `logging`; without,
 * fields stand alone, as upstream prints them about flags.
 */
export function validateLogging({ loggingFormat = 'text', vmodule = '' }: LoggingOptions, path?: Path): FieldError[] {
  const field = (name: string): Path => path?.child(name) ?? Path.of(name);
  const errors: FieldError[] = [];
  if (loggingFormat !== 'text' && loggingFormat !== 'json')
    errors.push(invalid(field('format'), loggingFormat, 'Unsupported log format'));
  if (vmodule !== '' && loggingFormat !== '' && loggingFormat !== 'text')
    errors.push(forbidden(field('vmodule'), 'Only supported for text log format'));
  return errors;
}

/** The same about flags: a line each. */
export const loggingProblems = (given: LoggingOptions): string[] => validateLogging(given).map(String);
