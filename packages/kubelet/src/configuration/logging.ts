import type { FieldError, Path } from '@coxswain/apimachinery';
import { type LoggingOptions, validateLogging as validateOptions } from '@coxswain/component-base/logs';
import type { KubeletConfiguration } from './complete-configuration.ts';

/** Returns the `logging` of a configuration as the options that the logging flags set. */
function loggingOptions({
  format = 'text',
  verbosity = 0,
  vmodule = [],
}: KubeletConfiguration['logging']): LoggingOptions {
  return {
    loggingFormat: format,
    v: verbosity,
    vmodule: vmodule.map(({ filePattern = '', verbosity: level = 0 }) => `${filePattern}=${level}`).join(),
  };
}

/** Returns the problems of `logging`, in upstream's words. */
export const validateLogging = (logging: KubeletConfiguration['logging'], path: Path): FieldError[] =>
  validateOptions(loggingOptions(logging), path);
