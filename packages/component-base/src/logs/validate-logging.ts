import { type FieldError, forbidden, invalid, Path } from '@coxswain/apimachinery';
import type { LoggingOptions } from './logging-flags.ts';

/**
 * Returns the problems of a logging configuration, with upstream's messages. `path` is the field of a configuration file, such as
 * KubeletConfiguration's `logging`. Without it, field names stand alone, as upstream prints them for flags.
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

/** Validates the logging flags. Returns one line per problem. */
export const loggingProblems = (given: LoggingOptions): string[] => validateLogging(given).map(String);
