import {
  jsonFormat,
  type Logger,
  type LogSink,
  newLogger,
  parseNamedVerbosity,
  textFormat,
  type Verbosity,
  verbosity,
} from '@coxswain/apimachinery/log';
import type { LoggingOptions } from './logging-flags.ts';

export interface ComponentLoggingOptions {
  /** Upstream's name of the component: `kube-scheduler`. */
  readonly name: string;
  readonly given: LoggingOptions;
  /** Writes a line, which ends with a newline. */
  readonly write: (line: string) => void;
  readonly now: () => Date;
  /** Wraps the sink of the logger, to drop entries. */
  readonly filter?: (write: LogSink) => LogSink;
  /** The process ID in text lines, as in klog's. */
  readonly processId?: number;
}

export interface ComponentLogging {
  readonly logger: Logger;
  /** Can be changed while the component runs. */
  readonly verbosity: Verbosity;
}

/** Returns the logger of a component as configured by its flags. The flags must be valid by `validateLogging`. */
export function componentLogging(options: ComponentLoggingOptions): ComponentLogging {
  const { loggingFormat = 'text', v = 0, vmodule = '' } = options.given;
  const format = loggingFormat === 'json' ? jsonFormat : textFormat(options.processId);
  const level = verbosity(v, parseNamedVerbosity(vmodule));
  const { name, write, now, filter } = options;
  const sink: LogSink = (entry) => write(format(entry, now()));
  const logger = newLogger(filter?.(sink) ?? sink, { name, verbosity: level });
  return { logger, verbosity: level };
}
